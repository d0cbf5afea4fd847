//! Queries the kernel for TCP sockets, through a netlink socket.

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sched::{CloneFlags, setns};
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket,
};

use super::message::{
    AF_INET, AF_INET6, Address, Answer, SocketDescription, answers, encode_list_query, encode_query,
};

/// Size of the receive buffer, in bytes: the kernel sends no longer message.
const RECEIVED_BYTES_MAX: usize = 64 * 1024;
/// Maximum number of requests in one message, so that the receive queue holds all answers.
const REQUESTS_MAX: usize = 32;

/// The result of a query for one socket.
#[derive(Debug, Clone, Copy)]
pub enum SocketStatus {
    /// The socket is connected.
    Open(SocketDescription),
    /// The socket is closed.
    Gone,
    /// No answer arrived, or the answer was an unexpected error.
    Unknown,
}

/// A netlink socket for `sock_diag`.
#[derive(Debug)]
pub struct Channel {
    socket: OwnedFd,
    received: Vec<u8>,
    request: Vec<u8>,
    sequence: u32,
}

impl Channel {
    /// Opens a netlink socket.
    pub fn open() -> Result<Self, String> {
        open_socket().map(Self::of).map_err(listing_error)
    }

    /// Opens a netlink socket in the network namespace of a process.
    ///
    /// A socket remains in the namespace where it was opened. The thread that enters the namespace
    /// for this ends afterwards, so that no other thread changes its own.
    /// Returns the reason if the namespace cannot be entered, or does not provide such sockets.
    pub fn open_of(pid: i32) -> Result<Self, String> {
        let open = move || -> Result<OwnedFd, String> {
            let path = format!("/proc/{pid}/ns/net");
            let namespace = File::open(&path).map_err(|error| format!("{path}: {error}"))?;
            setns(namespace, CloneFlags::CLONE_NEWNET).map_err(|errno| errno.desc().to_owned())?;
            open_socket().map_err(listing_error)
        };
        let opened = std::thread::spawn(open).join();
        opened.expect("no panic is possible here").map(Self::of)
    }

    fn of(socket: OwnedFd) -> Self {
        Self {
            socket,
            received: vec![0; RECEIVED_BYTES_MAX],
            request: Vec::new(),
            sequence: 0,
        }
    }

    /// Calls `visit` for each TCP connection of the network namespace, without its `tcp_info`.
    pub fn list_all(&mut self, mut visit: impl FnMut(SocketDescription)) -> Result<(), String> {
        self.list_family(AF_INET, &mut visit)
            .map_err(listing_error)?;
        match self.list_family(AF_INET6, &mut visit) {
            // A kernel without IPv6 has no such sockets.
            Err(Errno::ENOENT | Errno::EINVAL | Errno::EAFNOSUPPORT) => Ok(()),
            found => found.map_err(listing_error),
        }
    }

    fn list_family(
        &mut self,
        family: u8,
        visit: &mut impl FnMut(SocketDescription),
    ) -> Result<(), Errno> {
        self.begin();
        encode_list_query(family, self.sequence, &mut self.request);
        self.send()?;
        loop {
            let length = self.receive()?;
            for (sequence, answer) in answers(&self.received[..length]) {
                match answer {
                    _ if sequence != self.sequence => {}
                    Answer::Socket(Some(described)) => visit(described),
                    Answer::Socket(None) => {}
                    Answer::Done => return Ok(()),
                    Answer::Failed(number) => return Err(Errno::from_raw(number)),
                }
            }
        }
    }

    /// Queries single sockets; calls `visit` for each with its index in `addresses` and the result.
    pub fn query(
        &mut self,
        addresses: &[Address],
        mut visit: impl FnMut(usize, SocketStatus),
    ) -> Result<(), String> {
        for (number, batch) in addresses.chunks(REQUESTS_MAX).enumerate() {
            let found = self.query_batch(batch).map_err(listing_error)?;
            for (index, found) in found.into_iter().take(batch.len()).enumerate() {
                visit(number * REQUESTS_MAX + index, found);
            }
        }
        Ok(())
    }

    /// Queries one batch. The kernel queues all answers before `send` returns.
    fn query_batch(&mut self, batch: &[Address]) -> Result<[SocketStatus; REQUESTS_MAX], Errno> {
        self.begin();
        let first = self.sequence;
        for address in batch {
            encode_query(address, self.sequence, &mut self.request);
            self.sequence = self.sequence.wrapping_add(1);
        }
        self.send()?;
        let mut found = [SocketStatus::Unknown; REQUESTS_MAX];
        let mut open = batch.len();
        while open > 0 {
            let length = match self.receive() {
                Err(Errno::EAGAIN) => break,
                // Answers were lost; the others are still in the queue.
                Err(Errno::ENOBUFS) => continue,
                received => received?,
            };
            for (sequence, answer) in answers(&self.received[..length]) {
                let index = usize::try_from(sequence.wrapping_sub(first)).unwrap_or(usize::MAX);
                if let Some(found) = found.get_mut(index) {
                    *found = status_of(answer);
                    open = open.saturating_sub(1);
                }
            }
        }
        Ok(found)
    }

    fn begin(&mut self) {
        self.sequence = self.sequence.wrapping_add(1);
        self.request.clear();
    }

    fn send(&self) -> Result<(), Errno> {
        send(
            self.socket.as_raw_fd(),
            &self.request,
            MsgFlags::MSG_DONTWAIT,
        )
        .map(|_| ())
    }

    /// Receives one message without blocking: the kernel answers a request while it is sent.
    fn receive(&mut self) -> Result<usize, Errno> {
        let socket = self.socket.as_raw_fd();
        loop {
            match recv(socket, &mut self.received, MsgFlags::MSG_DONTWAIT) {
                Err(Errno::EINTR) => {}
                received => return received,
            }
        }
    }
}

fn open_socket() -> Result<OwnedFd, Errno> {
    socket(
        AddressFamily::Netlink,
        SockType::Raw,
        SockFlag::SOCK_CLOEXEC,
        SockProtocol::NetlinkSockDiag,
    )
}

fn status_of(answer: Answer) -> SocketStatus {
    match answer {
        // The process has closed the socket, and the kernel waits for the peer's close. It does not
        // keep all metrics in this state.
        Answer::Socket(Some(described)) if described.inode == 0 => SocketStatus::Gone,
        Answer::Socket(Some(described)) => SocketStatus::Open(described),
        Answer::Socket(None) => SocketStatus::Gone,
        // No socket has these addresses, or another socket has them.
        Answer::Failed(number)
            if [Errno::ENOENT, Errno::ESTALE].contains(&Errno::from_raw(number)) =>
        {
            SocketStatus::Gone
        }
        Answer::Failed(_) | Answer::Done => SocketStatus::Unknown,
    }
}

fn listing_error(errno: Errno) -> String {
    format!(
        "the kernel does not list sockets (sock_diag): {}",
        errno.desc()
    )
}

#[cfg(test)]
mod tests {
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
}
