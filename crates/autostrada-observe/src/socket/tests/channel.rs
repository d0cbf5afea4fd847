//! Tests of `channel.rs`.

use super::*;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use crate::socket::owner::{Links, tables};

/// The connections of this process, including those of other tests.
fn own(channel: &mut Channel) -> Vec<SocketDescription> {
    let (tables, _) = tables(std::process::id().cast_signed()).unwrap();
    let mut links = Links::default();
    for table in tables {
        table.read(1, &mut links).unwrap();
    }
    let mut own = Vec::new();
    let found = channel.list_all(|described| own.push(described));
    found.unwrap();
    own.retain(|described| links.inodes.contains(&described.inode));
    own
}

/// Both ends of a connection to a listener.
fn connect(listener: &TcpListener) -> (TcpStream, TcpStream) {
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (client, listener.accept().unwrap().0)
}

fn addresses(sockets: &[SocketDescription]) -> Vec<Address> {
    sockets.iter().map(|socket| socket.address).collect()
}

/// The status of each socket, in the order of the addresses.
fn query(channel: &mut Channel, addresses: &[Address]) -> Vec<SocketStatus> {
    let mut found = Vec::new();
    let add = |index, status| {
        assert_eq!(index, found.len());
        found.push(status);
    };
    channel.query(addresses, add).unwrap();
    assert_eq!(found.len(), addresses.len());
    found
}

#[test]
fn more_sockets_than_fit_into_one_answer_are_listed_and_found_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut channel = Channel::open().unwrap();
    let mut ends: Vec<_> = (0..2 * REQUESTS_MAX).map(|_| connect(&listener)).collect();
    ends[0].0.write_all(&[7; 100]).unwrap();
    let sockets = own(&mut channel);
    assert!(sockets.len() >= 2 * ends.len());
    let found = query(&mut channel, &addresses(&sockets));
    let unread = found.iter().filter(|status| match status {
        SocketStatus::Open(found) => found.receive_queue_bytes == 100 && found.info.is_some(),
        SocketStatus::Gone | SocketStatus::Unknown => false,
    });
    assert!(unread.count() >= 1);
}

#[test]
fn both_ends_of_a_connection_are_found_by_its_addresses() {
    let mut channel = Channel::open().unwrap();
    // A listener of both families has IPv4 addresses as IPv6 addresses.
    for (listen, host) in [
        ("127.0.0.1:0", "127.0.0.1"),
        ("[::]:0", "127.0.0.1"),
        ("[::]:0", "::1"),
    ] {
        let listener = TcpListener::bind(listen).unwrap();
        let port = listener.local_addr().unwrap().port();
        let client = TcpStream::connect((host, port)).unwrap();
        let mut server = listener.accept().unwrap().0;
        server.write_all(&[7; 100]).unwrap();
        for end in [&client, &server] {
            let (local, peer) = (end.local_addr().unwrap(), end.peer_addr().unwrap());
            let addresses = [Address::between(local, peer), Address::between(peer, local)];
            let found = query(&mut channel, &addresses);
            let mut unread: Vec<_> = found
                .iter()
                .filter_map(|status| match status {
                    SocketStatus::Open(found) => Some(found.receive_queue_bytes),
                    SocketStatus::Gone | SocketStatus::Unknown => None,
                })
                .collect();
            unread.sort_unstable();
            assert_eq!(unread, [0, 100], "{listen} {host}");
        }
    }
}

#[test]
fn a_socket_that_is_closed_is_gone_even_if_its_peer_is_not() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut channel = Channel::open().unwrap();
    let (client, mut server) = connect(&listener);
    let ports = [&client, &server].map(|end| end.local_addr().unwrap().port());
    let sockets = own(&mut channel);
    let addresses = ports.map(|port| {
        let has_port = |found: &&SocketDescription| found.address.local_port() == port;
        sockets.iter().find(has_port).unwrap().address
    });
    drop(client);
    // Another test's child may have the socket between its fork and its exec: the end of the
    // stream tells that it is closed.
    assert_eq!(server.read(&mut [0]).unwrap(), 0);
    assert!(matches!(
        query(&mut channel, &addresses)[..],
        [
            SocketStatus::Gone,
            SocketStatus::Open(SocketDescription { info: Some(_), .. })
        ]
    ));
    drop(server);
    // The client's end is in TIME_WAIT, which does not count as a connection.
    let found = query(&mut channel, &addresses);
    assert!(matches!(found[0], SocketStatus::Gone));
}
