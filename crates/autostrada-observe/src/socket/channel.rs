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
#[path = "tests/channel.rs"]
mod tests;
