//! Tests of `subset.rs`.

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

fn choose(subset: &mut Subset, numbers: impl IntoIterator<Item = u8>, sampled_max: usize) -> bool {
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
