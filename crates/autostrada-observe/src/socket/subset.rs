//! The sampled subset of a process's sockets, which remains the same while they are open.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::counters::SocketCounters;
use super::message::{Address, SocketDescription};
use super::metrics::{SocketMetrics, median_ns};

/// The sampled sockets of one process, and their counters.
#[derive(Debug, Default)]
pub struct Subset {
    members: HashMap<u64, Member>,
    /// The cookies of all sockets when they were last counted, and of those added since.
    known: HashSet<u64>,
    /// Number of sockets: those counted last, and those added and removed since.
    connections: u64,
    /// One in this many files was examined when they were last counted; `None` before that.
    every: Option<u64>,
    /// Counters of sockets that are no longer sampled.
    ended: SocketCounters,
}

/// The found sockets of one process.
#[derive(Debug)]
pub struct ConnectionSet {
    /// Addresses of the found sockets, which are the same ones each time for the same `every`.
    pub addresses: Vec<Address>,
    /// One in this many files was examined.
    pub every: u64,
    /// Number of all sockets, estimated if not all files were examined.
    pub connections: u64,
}

/// One sampled socket.
#[derive(Debug)]
struct Member {
    address: Address,
    /// Counters at its first sample, if it may have been open earlier; `None` until that sample. 0
    /// for a socket that is known to be new.
    before: Option<SocketCounters>,
    last: SocketCounters,
}

impl Member {
    /// Creates a member; all counters of a new socket count.
    fn new(address: Address, is_new: bool) -> Self {
        Self {
            address,
            before: is_new.then(SocketCounters::default),
            last: SocketCounters::default(),
        }
    }

    fn counted(&self) -> SocketCounters {
        let before = self.before.unwrap_or(self.last);
        self.last.since(before)
    }
}

/// The metrics of one sample, to which sockets are added one by one.
#[derive(Debug, Default)]
pub struct SampleInProgress {
    metrics: SocketMetrics,
    rtt_us: Vec<u32>,
}

impl Subset {
    /// Chooses at most `sampled_max` sockets of the process to sample; returns whether some were
    /// added.
    ///
    /// A socket that was not found the last time is new, and all its counters belong to the time
    /// since. If another part of the files is examined than the last time, it may be old.
    ///
    /// The choice depends only on hashes of the sockets' cookies, so that old and new sockets are
    /// equally likely, and an open socket leaves the subset only if others are opened.
    pub fn choose(&mut self, connection_set: ConnectionSet, sampled_max: usize) -> bool {
        let mut has_added = false;
        let mut addresses = connection_set.addresses;
        let is_first = self.every.is_none();
        let is_same_part = self.every == Some(connection_set.every);
        let cookies: HashSet<u64> = addresses.iter().map(Address::cookie).collect();
        if addresses.len() > sampled_max {
            addresses.select_nth_unstable_by_key(sampled_max, |address| hash(address.cookie()));
            addresses.truncate(sampled_max);
        }
        let mut former = std::mem::take(&mut self.members);
        for address in addresses {
            let cookie = address.cookie();
            let is_new = is_first || is_same_part && !self.known.contains(&cookie);
            let member = former.remove(&cookie);
            has_added |= member.is_none();
            let member = member.unwrap_or_else(|| Member::new(address, is_new));
            self.members.insert(cookie, member);
        }
        for member in former.values() {
            self.ended = self.ended.plus(member.counted());
        }
        self.known = cookies;
        self.connections = connection_set.connections;
        self.every = Some(connection_set.every);
        has_added
    }

    /// Adds a socket that was just opened; returns `false` if it is already in the subset.
    pub fn add(&mut self, address: Address) -> bool {
        let Entry::Vacant(vacant) = self.members.entry(address.cookie()) else {
            return false;
        };
        vacant.insert(Member::new(address, true));
        self.known.insert(address.cookie());
        self.connections += 1;
        true
    }

    /// Returns the number of sampled sockets.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns the addresses of the sampled sockets.
    pub fn addresses(&self) -> impl Iterator<Item = Address> {
        self.members.values().map(|member| member.address)
    }

    /// Adds the sample of a socket; returns `false` if it lacks `tcp_info` or is not in the subset.
    pub fn record(
        &mut self,
        described: &SocketDescription,
        progress: &mut SampleInProgress,
    ) -> bool {
        let (Some(info), Some(member)) = (
            &described.info,
            self.members.get_mut(&described.address.cookie()),
        ) else {
            return false;
        };
        member.last = info.counters;
        member.before.get_or_insert(member.last);
        progress.metrics.add(described, info);
        if info.rtt_us > 0 {
            progress.rtt_us.push(info.rtt_us);
        }
        true
    }

    /// Removes a closed socket, and keeps its counters.
    pub fn remove(&mut self, address: &Address) {
        if let Some(member) = self.members.remove(&address.cookie()) {
            self.ended = self.ended.plus(member.counted());
            self.connections = self.connections.saturating_sub(1);
        }
    }

    /// Returns the metrics of a sample to which all sockets were added.
    pub fn finish(&self, mut progress: SampleInProgress) -> SocketMetrics {
        let members = self.members.values().map(Member::counted);
        SocketMetrics {
            connections: self.connections,
            counters: members.fold(self.ended, SocketCounters::plus),
            rtt_ns_median: median_ns(&mut progress.rtt_us),
            ..progress.metrics
        }
    }
}

/// Returns a hash that is far apart for neighbouring numbers (Fibonacci hashing).
pub fn hash(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
#[path = "tests/subset.rs"]
mod tests;
