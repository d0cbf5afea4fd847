//! Tests of `host/mod.rs`.

use super::*;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

#[test]
fn bytes_through_the_loopback_interface_are_counted() {
    let host = Host::default();
    let before = host.sample();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut server, _) = listener.accept().unwrap();
    client.write_all(&vec![7; 100_000]).unwrap();
    server.read_exact(&mut vec![0; 100_000]).unwrap();
    let after = host.sample();
    assert!(before.loopback_bytes.unwrap() + 100_000 <= after.loopback_bytes.unwrap());
    assert!(before.listen_drops.unwrap() <= after.listen_drops.unwrap());
    assert!(after.memory_available_bytes.unwrap() > 0);
    assert!(after.slab_bytes.unwrap() > 0);
    let cores = after.cores;
    let busy_ns = |cores: &[Core]| cores.iter().map(|core| core.busy_ns).sum::<u64>();
    assert!(busy_ns(&cores) >= busy_ns(&before.cores));
}

/// A core keeps up to 1 MiB (`net.ipv4.tcp_mem_pcpu_rsv`) out of the kernel's count, so that
/// more than that has to be unread for each core on which this thread may run.
#[test]
fn unread_bytes_are_memory_of_tcp() {
    let host = Host::new(&[]);
    let connections = 24 * (1 + host.sample().cores.len());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut open = vec![];
    while host.sample().tcp_memory_bytes.unwrap() == 0 {
        assert!(open.len() < connections);
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        client.write_all(&vec![7; 60_000]).unwrap();
        server.peek(&mut [0]).unwrap();
        open.push((client, server));
    }
}

#[test]
fn a_metric_that_cannot_be_read_is_missing_with_a_reason() {
    let absent = || Err("/proc/none: not there".into());
    let network = NetworkFiles {
        netstat: absent(),
        snmp: open("/proc/version"),
        dev: open("/proc/self/net/dev"),
    };
    let host = Host {
        stat: absent(),
        networks: vec![network],
        ..Host::default()
    };
    let metrics = host.sample();
    assert_eq!((metrics.cores, metrics.listen_drops), (vec![], None));
    assert_eq!(metrics.missing["cores"], "/proc/none: not there");
    assert_eq!(metrics.missing["listen_drops"], "/proc/none: not there");
    assert_eq!(metrics.retransmits, None);
    assert!(metrics.missing["retransmits"].contains("proc(5)"));
    assert!(metrics.memory_available_bytes.is_some());
}
