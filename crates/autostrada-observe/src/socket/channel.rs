//! Asks the kernel for sockets, by a netlink socket of its own.

use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket,
};

use super::message::{AF_INET, AF_INET6, Address, Answer, Described, answers, ask_all, ask_one};

/// The kernel hands out no more at once.
const RECEIVED_BYTES_MAX: usize = 64 * 1024;
/// Requests at once, whose answers have room in the queue of the socket.
const REQUESTS_MAX: usize = 32;

/// What became of a socket that was asked for.
#[derive(Debug, Clone, Copy)]
pub enum Found {
    /// It is there.
    Here(Described),
    /// It is no connection any more.
    Gone,
    /// The kernel had no room for an answer.
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
    /// Opens it.
    ///
    /// # Errors
    ///
    /// When this kernel, or this container, has no such sockets: why, in words.
    pub fn open() -> Result<Self, String> {
        let socket = socket(
            AddressFamily::Netlink,
            SockType::Raw,
            SockFlag::SOCK_CLOEXEC,
            SockProtocol::NetlinkSockDiag,
        )
        .map_err(refused)?;
        Ok(Self {
            socket,
            received: vec![0; RECEIVED_BYTES_MAX],
            request: Vec::new(),
            sequence: 0,
        })
    }

    /// Tells of each TCP connection of this network namespace, without its figures.
    ///
    /// # Errors
    ///
    /// When the kernel refuses: why, in words.
    pub fn list_all(&mut self, mut tell: impl FnMut(Described)) -> Result<(), String> {
        self.tell_family(AF_INET, &mut tell).map_err(refused)?;
        match self.tell_family(AF_INET6, &mut tell) {
            // A kernel without IPv6 has no such sockets.
            Err(Errno::ENOENT | Errno::EINVAL | Errno::EAFNOSUPPORT) => Ok(()),
            found => found.map_err(refused),
        }
    }

    fn tell_family(&mut self, family: u8, tell: &mut impl FnMut(Described)) -> Result<(), Errno> {
        self.begin();
        ask_all(family, self.sequence, &mut self.request);
        self.send()?;
        loop {
            let length = self.receive()?;
            for (sequence, answer) in answers(&self.received[..length]) {
                match answer {
                    _ if sequence != self.sequence => {}
                    Answer::Socket(Some(described)) => tell(described),
                    Answer::Socket(None) => {}
                    Answer::Done => return Ok(()),
                    Answer::Failed(number) => return Err(Errno::from_raw(number)),
                }
            }
        }
    }

    /// Asks for single sockets, and tells of each, by its place, what became of it.
    ///
    /// # Errors
    ///
    /// When the kernel refuses: why, in words.
    pub fn ask(
        &mut self,
        addresses: &[Address],
        mut tell: impl FnMut(usize, Found),
    ) -> Result<(), String> {
        for (number, batch) in addresses.chunks(REQUESTS_MAX).enumerate() {
            let found = self.ask_batch(batch).map_err(refused)?;
            for (place, found) in found.into_iter().take(batch.len()).enumerate() {
                tell(number * REQUESTS_MAX + place, found);
            }
        }
        Ok(())
    }

    /// The answers are in the queue once the requests have been sent.
    fn ask_batch(&mut self, batch: &[Address]) -> Result<[Found; REQUESTS_MAX], Errno> {
        self.begin();
        let first = self.sequence;
        for address in batch {
            ask_one(address, self.sequence, &mut self.request);
            self.sequence = self.sequence.wrapping_add(1);
        }
        self.send()?;
        let mut found = [Found::Unknown; REQUESTS_MAX];
        let mut open = batch.len();
        while open > 0 {
            let length = match self.receive() {
                Err(Errno::EAGAIN) => break,
                // Answers were lost; those that were not are still there.
                Err(Errno::ENOBUFS) => continue,
                received => received?,
            };
            for (sequence, answer) in answers(&self.received[..length]) {
                let place = usize::try_from(sequence.wrapping_sub(first)).unwrap_or(usize::MAX);
                if let Some(found) = found.get_mut(place) {
                    *found = became(answer);
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

    /// Takes what is there; the kernel answers while it is asked, so that nobody waits.
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

fn became(answer: Answer) -> Found {
    match answer {
        // Its process has closed it: the kernel still waits for the peer to do so, and does not
        // keep all figures meanwhile.
        Answer::Socket(Some(described)) if described.inode == 0 => Found::Gone,
        Answer::Socket(Some(described)) => Found::Here(described),
        Answer::Socket(None) => Found::Gone,
        // Nobody has its addresses, or another socket has.
        Answer::Failed(number)
            if [Errno::ENOENT, Errno::ESTALE].contains(&Errno::from_raw(number)) =>
        {
            Found::Gone
        }
        Answer::Failed(_) | Answer::Done => Found::Unknown,
    }
}

fn refused(errno: Errno) -> String {
    format!(
        "the kernel does not tell of sockets (sock_diag): {}",
        errno.desc()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use crate::socket::owner::{Links, tables};

    /// The connections that this process has, of which other tests have some.
    fn own(channel: &mut Channel) -> Vec<Described> {
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

    #[test]
    fn more_sockets_than_fit_into_one_answer_are_listed_and_found_again() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let mut channel = Channel::open().unwrap();
        let mut ends = Vec::new();
        for _ in 0..2 * REQUESTS_MAX {
            ends.push(TcpStream::connect(address).unwrap());
            ends.push(listener.accept().unwrap().0);
        }
        ends[0].write_all(&[7; 100]).unwrap();
        let found = own(&mut channel);
        assert!(found.len() >= ends.len());
        let addresses: Vec<Address> = found.iter().map(|found| found.address).collect();
        let mut found = Vec::new();
        channel
            .ask(&addresses, |place, what| found.push((place, what)))
            .unwrap();
        let places: Vec<usize> = found.iter().map(|(place, _)| *place).collect();
        assert_eq!(places, (0..addresses.len()).collect::<Vec<_>>());
        let unread = found.iter().filter(|(_, found)| match found {
            Found::Here(found) => found.receive_queue_bytes == 100 && found.info.is_some(),
            Found::Gone | Found::Unknown => false,
        });
        assert!(unread.count() >= 1);
    }

    #[test]
    fn a_socket_whose_peer_has_not_closed_yet_is_gone_as_well() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut channel = Channel::open().unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut server = listener.accept().unwrap().0;
        let ports = [&client, &server].map(|end| end.local_addr().unwrap().port());
        let found = own(&mut channel);
        let addresses = ports.map(|port| {
            let has_port = |found: &&Described| found.address.local_port() == port;
            found.iter().find(has_port).unwrap().address
        });
        drop(client);
        // It has closed when the other end sees that.
        assert_eq!(server.read(&mut [0]).unwrap(), 0);
        let mut found = Vec::new();
        channel.ask(&addresses, |_, what| found.push(what)).unwrap();
        assert!(matches!(
            found[..],
            [Found::Gone, Found::Here(Described { info: Some(_), .. })]
        ));
    }

    #[test]
    fn a_socket_that_is_closed_is_gone() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut channel = Channel::open().unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let server = listener.accept().unwrap();
        let found = own(&mut channel);
        drop((client, server));
        let addresses: Vec<Address> = found.iter().map(|found| found.address).collect();
        let mut gone = 0;
        let count = |_, found| gone += u32::from(matches!(found, Found::Gone));
        channel.ask(&addresses, count).unwrap();
        // The end that was closed first waits for late segments, which is no connection.
        assert!(gone >= 1, "{gone}");
    }
}
