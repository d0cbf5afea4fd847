//! Tests of `counters.rs`.

use super::*;

const NETSTAT: &str = "TcpExt: PruneCalled RcvPruned OfoPruned TCPRcvQDrop\n\
                       TcpExt: 1 2 3 40\n\
                       IpExt: InOctets PruneCalled\n\
                       IpExt: 500 600\n";

#[test]
fn counters_are_found_by_name_and_in_their_group() {
    assert_eq!(sum(NETSTAT, "TcpExt:", &["TCPRcvQDrop"]), Some(40));
    let pruned = ["PruneCalled", "RcvPruned", "OfoPruned"];
    assert_eq!(sum(NETSTAT, "TcpExt:", &pruned), Some(6));
    assert_eq!(sum(NETSTAT, "IpExt:", &pruned), Some(600));
}

#[test]
fn counters_that_a_kernel_does_not_have_are_not_zero() {
    assert_eq!(sum(NETSTAT, "TcpExt:", &["TCPToZeroWindowAdv"]), None);
    assert_eq!(sum(NETSTAT, "Tcp:", &["RetransSegs"]), None);
    assert_eq!(sum("TcpExt: A B\n", "TcpExt:", &["A"]), None);
    assert_eq!(sum("TcpExt: A B\nTcpExt: 1\n", "TcpExt:", &["B"]), None);
    assert_eq!(sum("TcpExt: A\nTcpExt: x\n", "TcpExt:", &["A"]), None);
}

#[test]
fn an_interface_is_found_among_others() {
    let text = "Inter-|   Receive\n face |bytes packets\n  lo2: 7 1\n    lo:1234 5 0\n";
    assert_eq!(received_bytes(text, "lo"), Some(1234));
    assert_eq!(received_bytes(text, "eth0"), None);
    assert_eq!(received_bytes("lo:", "lo"), None);
}

#[test]
fn memory_and_pressure_are_in_bytes_and_nanoseconds() {
    let text = "MemTotal: 9 kB\nMemAvailable:   300 kB\n";
    assert_eq!(memory_bytes(text, "MemAvailable"), Some(300 * 1024));
    assert_eq!(memory_bytes(text, "MemTotal"), Some(9 * 1024));
    assert_eq!(memory_bytes(text, "Mem"), None);
    assert_eq!(memory_bytes("MemFree: 3 MB\n", "MemFree"), None);
    let text = "sockets: used 27\nTCP: inuse 4 orphan 0 tw 564 alloc 8 mem 3\nUDP: inuse 0 mem 9\n";
    assert_eq!(tcp_memory_bytes(text, 4096), Some(3 * 4096));
    assert_eq!(tcp_memory_bytes("TCP: inuse 4\nUDP: mem 9\n", 4096), None);
    assert_eq!(tcp_memory_bytes("UDP: mem 9\n", 4096), None);
    let text = "some avg10=1.00 avg60=0.00 avg300=0.00 total=250\nfull total=9\n";
    assert_eq!(pressure_some_ns(text), Some(250_000));
    assert_eq!(pressure_some_ns("full total=9\n"), None);
    assert_eq!(pressure_some_ns("some total=x\n"), None);
}
