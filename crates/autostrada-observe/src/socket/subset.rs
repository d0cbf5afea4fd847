//! Some sockets of many: the same ones at each sample while they live, and what they have counted.

use std::collections::{HashMap, HashSet};

use super::figures::{SocketCounters, SocketFigures, median_ns};
use super::message::{Address, Described};

/// The sockets of one process that are sampled.
#[derive(Debug, Default)]
pub struct Subset {
    members: HashMap<u64, Member>,
    /// The cookies of all sockets when they were last counted.
    known: HashSet<u64>,
    /// How many there are, and one in how many was found, when they were last counted.
    connections: u64,
    every: Option<u64>,
    /// What those counted that are sampled no more.
    ended: SocketCounters,
}

/// The sockets of one process, as far as they were found.
#[derive(Debug)]
pub struct ConnectionSet {
    /// Of those that were found: one in `every`, and the same ones each time.
    pub addresses: Vec<Address>,
    /// Of how many.
    pub every: u64,
    /// How many there are, found or not.
    pub connections: u64,
}

/// One of them.
#[derive(Debug)]
struct Member {
    address: Address,
    /// What it had counted before it was sampled; `None` until it is sampled, where it may have
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

/// The figures of one sample, which are added up socket by socket.
#[derive(Debug, Default)]
pub struct Round {
    figures: SocketFigures,
    rtt_us: Vec<u32>,
}

impl Subset {
    /// Takes the sockets of the process, of which at most so many are to be sampled.
    ///
    /// One that was not found the last time is new, and all that it has counted is of the time
    /// since; but where another part of all sockets is found by now, it may be old.
    ///
    /// Which ones depends on their cookies alone, in an order that mixes them, so that old and
    /// young ones are sampled alike, and one that lives only leaves when others have come.
    pub fn choose(&mut self, connection_set: ConnectionSet, sampled_max: usize) {
        let mut addresses = connection_set.addresses;
        let is_first = self.every.is_none();
        let is_same_part = self.every == Some(connection_set.every);
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
                before: (is_first || is_same_part && !self.known.contains(&cookie))
                    .then(SocketCounters::default),
                last: SocketCounters::default(),
            });
            self.members.insert(cookie, member);
        }
        for member in former.values() {
            self.ended = self.ended.plus(member.counted());
        }
        self.known = cookies;
        self.connections = connection_set.connections;
        self.every = Some(connection_set.every);
    }

    /// Those that are to be sampled.
    pub fn addresses(&self) -> impl Iterator<Item = Address> {
        self.members.values().map(|member| member.address)
    }

    /// How many connections there were when they were last counted.
    pub fn connections(&self) -> u64 {
        self.connections
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

    /// The figures of a sample, when all have been taken.
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
pub fn mixed(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::socket::tcp_info::TcpInfo;

    fn socket(number: u8, received_bytes: u64) -> Described {
        Described {
            address: Address::of_cookie(number.into()),
            inode: number.into(),
            receive_queue_bytes: 0,
            send_queue_bytes: number.into(),
            info: Some(TcpInfo {
                rtt_us: number.into(),
                received_bytes,
                ..TcpInfo::default()
            }),
        }
    }

    fn choose(subset: &mut Subset, numbers: impl IntoIterator<Item = u8>, sampled_max: usize) {
        choose_of(subset, numbers, 1, sampled_max);
    }

    /// Of the sockets one in `every` is found.
    fn choose_of(
        subset: &mut Subset,
        numbers: impl IntoIterator<Item = u8>,
        every: u64,
        sampled_max: usize,
    ) {
        let numbers = numbers.into_iter();
        let addresses: Vec<Address> = numbers
            .map(|number| Address::of_cookie(number.into()))
            .collect();
        let connections = every * addresses.len() as u64;
        let connection_set = ConnectionSet {
            addresses,
            every,
            connections,
        };
        subset.choose(connection_set, sampled_max);
    }

    #[test]
    fn where_another_part_is_found_who_was_not_found_before_need_not_be_new() {
        let mut subset = Subset::default();
        choose_of(&mut subset, [1, 2], 8, 9);
        assert_eq!(sample(&mut subset, 100).counters.received_bytes, 200);
        choose_of(&mut subset, [1, 2, 3, 4], 4, 9);
        let grown = sample(&mut subset, 100);
        assert_eq!((grown.connections, grown.sampled), (16, 4));
        assert_eq!(grown.counters.received_bytes, 200);
        assert_eq!(sample(&mut subset, 101).counters.received_bytes, 204);
    }

    /// A sample of which every sampled socket has received so many bytes.
    fn sample(subset: &mut Subset, received_bytes: u64) -> SocketFigures {
        let mut round = Round::default();
        let addresses: Vec<Address> = subset.addresses().collect();
        for address in addresses {
            let number = u8::try_from(address.cookie()).unwrap();
            assert!(subset.take(&socket(number, received_bytes), &mut round));
        }
        subset.finish(round)
    }

    #[test]
    fn what_waits_is_added_up_and_the_largest_is_reported() {
        let mut subset = Subset::default();
        choose(&mut subset, [0, 4, 9], 8);
        let figures = sample(&mut subset, 10);
        assert_eq!((figures.connections, figures.sampled), (3, 3));
        assert_eq!(figures.send_queue_bytes, 13);
        assert_eq!(figures.send_queue_bytes_max, 9);
        assert_eq!(figures.send_queues_filled, 2);
        assert_eq!(figures.receive_queues_filled, 0);
        // Of the two that are known.
        assert_eq!(figures.rtt_ns_median, 4_000);
        assert_eq!(figures.counters.received_bytes, 30);
    }

    #[test]
    fn a_socket_that_is_closed_keeps_what_it_counted() {
        let mut subset = Subset::default();
        choose(&mut subset, [1, 2], 8);
        sample(&mut subset, 10);
        subset.end(&Address::of_cookie(1));
        assert_eq!(sample(&mut subset, 25).counters.received_bytes, 10 + 25);
        choose(&mut subset, [], 8);
        let figures = sample(&mut subset, 25);
        assert_eq!((figures.connections, figures.sampled), (0, 0));
        assert_eq!(figures.counters.received_bytes, 10 + 25);
    }

    #[test]
    fn the_same_sockets_are_sampled_while_there_are_no_others() {
        let mut subset = Subset::default();
        choose(&mut subset, 0..200, 16);
        let cookies = |subset: &Subset| -> HashSet<u64> {
            subset.addresses().map(|address| address.cookie()).collect()
        };
        let first = cookies(&subset);
        assert_eq!(first.len(), 16);
        choose(&mut subset, (0..200).rev(), 16);
        assert_eq!(cookies(&subset), first);
        // One of each twelve or thirteen, wherever one begins to count.
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
        // Those that were sampled are closed, and others take their places.
        choose(&mut subset, others, 10);
        assert_eq!(sample(&mut subset, 1_000).counters.received_bytes, 10_000);
        assert_eq!(sample(&mut subset, 1_001).counters.received_bytes, 10_010);
    }

    #[test]
    fn a_socket_that_is_young_counts_from_its_beginning() {
        let mut subset = Subset::default();
        choose(&mut subset, [1], 8);
        sample(&mut subset, 10);
        choose(&mut subset, [1, 2], 8);
        assert_eq!(sample(&mut subset, 10).counters.received_bytes, 20);
    }

    #[test]
    fn a_kernel_that_tells_too_little_is_noticed() {
        let mut subset = Subset::default();
        choose(&mut subset, [1], 8);
        let silent = Described {
            info: None,
            ..socket(1, 0)
        };
        assert!(!subset.take(&silent, &mut Round::default()));
    }
}
