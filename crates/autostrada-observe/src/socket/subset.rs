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
mod tests {
    use super::*;
    use crate::socket::tcp_info::TcpInfo;

    fn socket(number: u8, received_bytes: u64) -> SocketDescription {
        SocketDescription {
            address: Address::of_cookie(number.into()),
            inode: number.into(),
            receive_queue_bytes: 0,
            send_queue_bytes: number.into(),
            memory_bytes: 100 * u64::from(number),
            info: Some(TcpInfo {
                rtt_us: number.into(),
                counters: SocketCounters {
                    received_bytes,
                    ..SocketCounters::default()
                },
                ..TcpInfo::default()
            }),
        }
    }

    fn choose(
        subset: &mut Subset,
        numbers: impl IntoIterator<Item = u8>,
        sampled_max: usize,
    ) -> bool {
        subset.choose(connection_set(numbers, 1), sampled_max)
    }

    /// Sockets that were found in one of every `every` files.
    fn connection_set(numbers: impl IntoIterator<Item = u8>, every: u64) -> ConnectionSet {
        let cookies = numbers.into_iter().map(u64::from);
        let addresses: Vec<Address> = cookies.map(Address::of_cookie).collect();
        ConnectionSet {
            connections: every * addresses.len() as u64,
            addresses,
            every,
        }
    }

    #[test]
    fn a_socket_of_another_part_of_the_files_need_not_be_new() {
        let mut subset = Subset::default();
        subset.choose(connection_set([1, 2], 8), 9);
        assert_eq!(sample(&mut subset, 100).counters.received_bytes, 200);
        subset.choose(connection_set([1, 2, 3, 4], 4), 9);
        let grown = sample(&mut subset, 100);
        assert_eq!((grown.connections, grown.sampled), (16, 4));
        assert_eq!(grown.counters.received_bytes, 200);
        assert_eq!(sample(&mut subset, 101).counters.received_bytes, 204);
    }

    /// A sample in which every sampled socket has received this number of bytes.
    fn sample(subset: &mut Subset, received_bytes: u64) -> SocketMetrics {
        let mut progress = SampleInProgress::default();
        let addresses: Vec<Address> = subset.addresses().collect();
        for address in addresses {
            let number = u8::try_from(address.cookie()).unwrap();
            assert!(subset.record(&socket(number, received_bytes), &mut progress));
        }
        subset.finish(progress)
    }

    #[test]
    fn queues_are_added_up_and_the_largest_is_reported() {
        let mut subset = Subset::default();
        choose(&mut subset, [0, 4, 9], 8);
        let metrics = sample(&mut subset, 10);
        assert_eq!((metrics.connections, metrics.sampled), (3, 3));
        assert_eq!(metrics.send_queue_bytes, 13);
        assert_eq!(metrics.send_queue_bytes_max, 9);
        assert_eq!(metrics.send_queues_filled, 2);
        assert_eq!(metrics.receive_queues_filled, 0);
        assert_eq!(metrics.memory_bytes, 1_300);
        // The median of the two known times.
        assert_eq!(metrics.rtt_ns_median, 4_000);
        assert_eq!(metrics.counters.received_bytes, 30);
    }

    #[test]
    fn a_socket_that_is_closed_keeps_what_it_counted() {
        let mut subset = Subset::default();
        choose(&mut subset, [1, 2], 8);
        sample(&mut subset, 10);
        subset.remove(&Address::of_cookie(1));
        assert_eq!(sample(&mut subset, 25).counters.received_bytes, 10 + 25);
        choose(&mut subset, [], 8);
        let metrics = sample(&mut subset, 25);
        assert_eq!((metrics.connections, metrics.sampled), (0, 0));
        assert_eq!(metrics.counters.received_bytes, 10 + 25);
    }

    #[test]
    fn the_same_sockets_are_sampled_until_others_are_opened() {
        let mut subset = Subset::default();
        choose(&mut subset, 0..200, 16);
        let cookies = |subset: &Subset| -> HashSet<u64> {
            subset.addresses().map(|address| address.cookie()).collect()
        };
        let first = cookies(&subset);
        assert_eq!(first.len(), 16);
        choose(&mut subset, (0..200).rev(), 16);
        assert_eq!(cookies(&subset), first);
        // One of each twelve or thirteen, at any offset.
        for begin in (0..150).step_by(50) {
            let count = first
                .iter()
                .filter(|cookie| (begin..begin + 50).contains(*cookie));
            assert!((3..=5).contains(&count.count()), "{first:?}");
        }
    }

    #[test]
    fn a_socket_that_is_sampled_late_does_not_count_what_it_did_before() {
        let mut subset = Subset::default();
        choose(&mut subset, 0..20, 10);
        assert_eq!(sample(&mut subset, 1_000).counters.received_bytes, 10_000);
        let chosen: HashSet<u64> = subset.addresses().map(|address| address.cookie()).collect();
        let others = (0..20).filter(|number| !chosen.contains(&u64::from(*number)));
        // The sampled sockets are closed, and others replace them.
        choose(&mut subset, others, 10);
        assert_eq!(sample(&mut subset, 1_000).counters.received_bytes, 10_000);
        assert_eq!(sample(&mut subset, 1_001).counters.received_bytes, 10_010);
    }

    #[test]
    fn a_new_socket_is_added_once_and_counts_from_its_beginning() {
        let mut subset = Subset::default();
        assert!(subset.add(Address::of_cookie(1)));
        assert!(!subset.add(Address::of_cookie(1)));
        let metrics = sample(&mut subset, 10);
        assert_eq!((metrics.connections, metrics.sampled), (1, 1));
        assert_eq!(metrics.counters.received_bytes, 10);
        assert!(choose(&mut subset, [1, 2], 8));
        assert!(!choose(&mut subset, [1, 2], 8));
        assert_eq!(sample(&mut subset, 10).counters.received_bytes, 20);
        choose(&mut subset, [1, 2, 3], 8);
        assert_eq!(sample(&mut subset, 10).counters.received_bytes, 30);
    }

    #[test]
    fn a_socket_without_tcp_info_is_reported() {
        let mut subset = Subset::default();
        choose(&mut subset, [1], 8);
        let silent = SocketDescription {
            info: None,
            ..socket(1, 0)
        };
        assert!(!subset.record(&silent, &mut SampleInProgress::default()));
    }
}
