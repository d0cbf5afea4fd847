//! Some sockets of many: the same ones at each look while they live, and what they have counted.

use std::collections::{HashMap, HashSet};

use super::figures::{SocketCounters, SocketFigures, median_ns};
use super::message::{Address, Described};

/// The sockets of one process that are looked at.
#[derive(Debug, Default)]
pub struct Sample {
    members: HashMap<u64, Member>,
    /// The cookies of all sockets when they were last counted.
    known: HashSet<u64>,
    was_counted: bool,
    /// What those counted that are sampled no more.
    ended: SocketCounters,
}

/// One of them.
#[derive(Debug)]
struct Member {
    address: Address,
    /// What it had counted before it was sampled; `None` until it is looked at, where it may have
    /// counted something.
    before: Option<SocketCounters>,
    last: SocketCounters,
}

impl Member {
    fn counted(&self) -> SocketCounters {
        let before = self.before.unwrap_or(self.last);
        self.last.since(before)
    }
}

/// The figures of one look, which are added up socket by socket.
#[derive(Debug, Default)]
pub struct Round {
    figures: SocketFigures,
    rtt_us: Vec<u32>,
}

impl Sample {
    /// Takes all sockets of the process that there are, of which at most so many are to be sampled.
    ///
    /// Which ones depends on their cookies alone, in an order that mixes them, so that old and
    /// young ones are sampled alike, and one that lives only leaves when others have come.
    pub fn choose(&mut self, mut addresses: Vec<Address>, sampled_max: usize) {
        let cookies: HashSet<u64> = addresses.iter().map(Address::cookie).collect();
        if addresses.len() > sampled_max {
            addresses.select_nth_unstable_by_key(sampled_max, |address| mixed(address.cookie()));
            addresses.truncate(sampled_max);
        }
        let mut former = std::mem::take(&mut self.members);
        for address in addresses {
            let cookie = address.cookie();
            let member = former.remove(&cookie).unwrap_or_else(|| Member {
                address,
                before: (!self.was_counted || !self.known.contains(&cookie))
                    .then(SocketCounters::default),
                last: SocketCounters::default(),
            });
            self.members.insert(cookie, member);
        }
        for member in former.values() {
            self.ended = self.ended.plus(member.counted());
        }
        self.known = cookies;
        self.was_counted = true;
    }

    /// Those that are to be looked at.
    pub fn addresses(&self) -> impl Iterator<Item = Address> {
        self.members.values().map(|member| member.address)
    }

    /// How many connections there were when they were last counted.
    pub fn connections(&self) -> u64 {
        self.known.len() as u64
    }

    /// Takes what a socket says of itself; `false` where that is too little.
    pub fn take(&mut self, described: &Described, round: &mut Round) -> bool {
        let (Some(info), Some(member)) = (
            &described.info,
            self.members.get_mut(&described.address.cookie()),
        ) else {
            return false;
        };
        member.last = info.into();
        member.before.get_or_insert(member.last);
        round.figures.add(described, info);
        if info.rtt_us > 0 {
            round.rtt_us.push(info.rtt_us);
        }
        true
    }

    /// Takes that a socket is a connection no more.
    pub fn end(&mut self, address: &Address) {
        if let Some(member) = self.members.remove(&address.cookie()) {
            self.ended = self.ended.plus(member.counted());
        }
    }

    /// The figures of a look, when all have been taken.
    pub fn finish(&self, mut round: Round) -> SocketFigures {
        let members = self.members.values().map(Member::counted);
        SocketFigures {
            connections: self.connections(),
            counters: members.fold(self.ended, SocketCounters::plus),
            rtt_ns_median: median_ns(&mut round.rtt_us),
            ..round.figures
        }
    }
}

/// A number that neighbours do not have near each other: Fibonacci hashing.
fn mixed(cookie: u64) -> u64 {
    cookie.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
