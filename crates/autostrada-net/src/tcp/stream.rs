//! Non-blocking TCP streams.

use std::io;
use std::net::{IpAddr, Shutdown, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::Path;
use std::time::Duration;

use mio::event::Source;
use mio::{Interest, Registry, Token};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use socket2::{Domain, Protocol, SockAddr, SockRef, Socket, Type};

use super::endpoint::Endpoint;
use super::options::SocketOptions;
use super::source;

/// Maximum time that connecting to a Unix socket waits for room in its backlog.
const BACKLOG_LIMIT: Duration = Duration::from_secs(1);

/// Size of the buffer for `struct tcp_info`, in bytes: larger than the structure, to which later
/// kernels append fields.
const TCP_INFO_BYTES_MAX: usize = 512;

/// The result of one call to read or write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfer {
    /// Number of transferred bytes, at least 1.
    Bytes(usize),
    /// Nothing was transferred: wait for the poller.
    WouldBlock,
    /// The peer has ended the stream.
    Ended,
}

/// A connected or connecting socket.
#[derive(Debug)]
pub struct Stream {
    inner: mio::net::TcpStream,
}

impl Stream {
    pub(crate) fn new(inner: mio::net::TcpStream, no_delay: bool) -> io::Result<Self> {
        inner.set_nodelay(no_delay)?;
        Ok(Self { inner })
    }

    /// Begins to connect. When the poller reports that the socket is writable, call
    /// [`connect_error`](Self::connect_error).
    ///
    /// Each `source` address has its own range of ports. The port is chosen when connecting and not
    /// when binding (`IP_BIND_ADDRESS_NO_PORT`), so that one port serves many destinations. A Unix
    /// socket has no source.
    /// Returns an error if there is no descriptor, port or route, if `source` does not belong to
    /// this machine, if the kernel refuses an option, or if no Unix socket accepts in time.
    pub fn connect(
        endpoint: &Endpoint,
        source: Option<IpAddr>,
        options: &SocketOptions,
    ) -> io::Result<Self> {
        let address = match endpoint {
            Endpoint::Tcp(address) => *address,
            Endpoint::Unix(path) => return Self::connect_unix(path, options),
        };
        let kind = Type::STREAM.nonblocking().cloexec();
        let socket = Socket::new(Domain::for_address(address), kind, Some(Protocol::TCP))?;
        options.apply(&SockRef::from(&socket))?;
        if let Some(address) = source {
            source::bind(&socket, address)?;
        }
        match socket.connect(&address.into()) {
            Ok(()) => {}
            Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => {}
            Err(error) => return Err(error),
        }
        let inner = mio::net::TcpStream::from_std(socket.into());
        Ok(Self { inner })
    }

    /// Connects to a Unix socket.
    ///
    /// Waits while its backlog is full: without waiting, connecting would fail, and no poller
    /// reports when there is room.
    fn connect_unix(path: &Path, options: &SocketOptions) -> io::Result<Self> {
        let socket = Socket::new(Domain::UNIX, Type::STREAM.cloexec(), None)?;
        options.apply_buffers(&SockRef::from(&socket))?;
        socket.set_write_timeout(Some(BACKLOG_LIMIT))?;
        socket.connect(&SockAddr::unix(path)?)?;
        socket.set_nonblocking(true)?;
        // The type only calls what every stream socket has.
        let inner = mio::net::TcpStream::from_std(socket.into());
        Ok(Self { inner })
    }

    /// Returns the local and the peer's address.
    pub fn addresses(&self) -> io::Result<(SocketAddr, SocketAddr)> {
        Ok((self.inner.local_addr()?, self.inner.peer_addr()?))
    }

    /// Makes closing the socket send a reset and discard unsent bytes.
    pub fn abort_on_close(&self) -> io::Result<()> {
        SockRef::from(&self.inner).set_linger(Some(Duration::ZERO))
    }

    /// Makes the kernel acknowledge received bytes at once (`TCP_QUICKACK`), until it returns to
    /// delayed acknowledgements by itself: repeat this after each read.
    pub fn acknowledge_at_once(&self) -> io::Result<()> {
        SockRef::from(&self.inner).set_tcp_quickack(true)
    }

    /// Returns the number of bytes that were received and not read (`SIOCINQ`).
    pub fn unread_bytes(&self) -> io::Result<u64> {
        let mut bytes: libc::c_int = 0;
        // SAFETY: `FIONREAD`, the other name of `SIOCINQ`, writes one int, which is a live local
        // value.
        let status = unsafe { libc::ioctl(self.inner.as_raw_fd(), libc::FIONREAD, &raw mut bytes) };
        if status != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(u64::try_from(bytes).expect("a count of bytes"))
    }

    /// Returns why connecting failed, or `None` if it did not.
    pub fn connect_error(&self) -> io::Result<Option<io::Error>> {
        self.inner.take_error()
    }

    /// Reads once into `buffer`, which must not be empty.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<Transfer> {
        debug_assert!(!buffer.is_empty(), "reading nothing looks like the end");
        loop {
            match rustix::net::recv(&self.inner, &mut *buffer, RecvFlags::empty()) {
                Ok((0, _)) => return Ok(Transfer::Ended),
                other => {
                    if let Some(transfer) = to_transfer(other.map(|(bytes, _)| bytes))? {
                        return Ok(transfer);
                    }
                }
            }
        }
    }

    /// Writes once from `bytes`, which must not be empty.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<Transfer> {
        debug_assert!(!bytes.is_empty(), "writing nothing moves nothing");
        loop {
            let sent = rustix::net::send(&self.inner, bytes, SendFlags::NOSIGNAL);
            if let Some(transfer) = to_transfer(sent)? {
                return Ok(transfer);
            }
        }
    }

    /// Ends this side of the stream.
    pub fn shutdown_write(&self) -> io::Result<()> {
        self.inner.shutdown(Shutdown::Write)
    }

    /// Returns the kernel's `struct tcp_info` of the connection (`TCP_INFO` of `tcp(7)`), whose
    /// length depends on the version of the kernel.
    pub fn tcp_info(&self) -> io::Result<Vec<u8>> {
        let mut info = vec![0_u8; TCP_INFO_BYTES_MAX];
        let mut length = libc::socklen_t::try_from(info.len()).expect("a small constant");
        // SAFETY: the pointers refer to live local values, and `length` is the size of `info`.
        let status = unsafe {
            libc::getsockopt(
                self.inner.as_raw_fd(),
                libc::IPPROTO_TCP,
                libc::TCP_INFO,
                info.as_mut_ptr().cast(),
                &raw mut length,
            )
        };
        if status != 0 {
            return Err(io::Error::last_os_error());
        }
        info.truncate(usize::try_from(length).expect("not longer than the buffer"));
        Ok(info)
    }

    /// Returns the kernel's name of the congestion control in use.
    pub fn congestion_control(&self) -> io::Result<String> {
        let name = SockRef::from(&self.inner).tcp_congestion()?;
        let text = name.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    /// Registers the socket, so that changes of its readiness are reported as `token`
    /// (edge-triggered).
    pub fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        let interest = Interest::READABLE | Interest::WRITABLE;
        self.inner.register(registry, token, interest)
    }

    /// Changes the token of a registered socket.
    pub fn reregister(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        let interest = Interest::READABLE | Interest::WRITABLE;
        self.inner.reregister(registry, token, interest)
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inner.as_fd()
    }
}

/// Converts the result of a system call; `None` if a signal interrupted it.
pub(super) fn to_transfer(result: rustix::io::Result<usize>) -> io::Result<Option<Transfer>> {
    match result {
        Ok(bytes) => Ok(Some(Transfer::Bytes(bytes))),
        Err(Errno::AGAIN) => Ok(Some(Transfer::WouldBlock)),
        Err(Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::os::unix::net::UnixListener;

    use mio::{Events, Poll};

    use super::*;
    use crate::tcp::loopback::{await_input, pair};

    #[test]
    fn bytes_go_from_one_end_to_the_other() {
        let (mut near, mut far) = pair();
        let mut buffer = [0; 16];
        assert_eq!(near.read(&mut buffer).unwrap(), Transfer::WouldBlock);
        far.write_all(b"hello").unwrap();
        await_input(&near);
        assert_eq!(near.read(&mut buffer).unwrap(), Transfer::Bytes(5));
        assert_eq!(&buffer[..5], b"hello");
    }

    #[test]
    fn writing_blocks_while_the_peer_does_not_read_and_continues_later() {
        let (mut near, mut far) = pair();
        let block = vec![7; 64 * 1024];
        let mut sent = 0;
        while let Transfer::Bytes(moved) = near.write(&block).unwrap() {
            sent += moved;
        }
        let mut received = vec![0; sent];
        far.read_exact(&mut received).unwrap();
        assert_eq!(received, vec![7; sent]);
        assert_eq!(near.write(b"x").unwrap(), Transfer::Bytes(1));
    }

    #[test]
    fn the_end_of_a_stream_is_reported_after_its_last_byte() {
        let (mut near, mut far) = pair();
        far.write_all(b"bye").unwrap();
        far.shutdown(Shutdown::Write).unwrap();
        let mut buffer = [0; 16];
        await_input(&near);
        assert_eq!(near.read(&mut buffer).unwrap(), Transfer::Bytes(3));
        for _ in 0..2 {
            await_input(&near);
            assert_eq!(near.read(&mut buffer).unwrap(), Transfer::Ended);
        }
        // The other direction is still open.
        near.write(b"x").unwrap();
        near.shutdown_write().unwrap();
        far.read_to_end(&mut Vec::new()).unwrap();
    }

    #[test]
    fn a_reset_is_an_error_and_no_end() {
        let (mut near, mut far) = pair();
        // Closing a socket with unread bytes resets the connection.
        near.write(b"xy").unwrap();
        far.read_exact(&mut [0]).unwrap();
        drop(far);
        await_input(&near);
        let error = near.read(&mut [0; 16]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }

    #[test]
    fn the_reason_of_a_failed_connect_is_reported() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = Endpoint::Tcp(listener.local_addr().unwrap());
        drop(listener);
        let mut stream = Stream::connect(&endpoint, None, &SocketOptions::default()).unwrap();
        let mut poll = Poll::new().unwrap();
        stream.register(poll.registry(), Token(7)).unwrap();
        let mut events = Events::with_capacity(4);
        poll.poll(&mut events, None).unwrap();
        assert!(events.iter().any(|event| event.token() == Token(7)));
        let error = stream.connect_error().unwrap().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }

    #[test]
    fn a_connection_has_the_given_source_address() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let source = "127.0.0.7".parse().unwrap();
        let endpoint = Endpoint::Tcp(listener.local_addr().unwrap());
        let options = SocketOptions::default();
        let stream = Stream::connect(&endpoint, Some(source), &options).unwrap();
        let (_, peer) = listener.accept().unwrap();
        assert_eq!(peer.ip(), source);
        assert!(stream.connect_error().unwrap().is_none());
        let foreign = Some("192.0.2.1".parse().unwrap());
        assert!(Stream::connect(&endpoint, foreign, &options).is_err());
    }

    #[test]
    fn the_kernel_describes_a_connection() {
        let (near, mut far) = pair();
        // Since Linux 4.10 it includes the busy time and the limits.
        assert!(near.tcp_info().unwrap().len() >= 192);
        assert_eq!(near.unread_bytes().unwrap(), 0);
        far.write_all(&[7; 5_000]).unwrap();
        while near.unread_bytes().unwrap() < 5_000 {
            std::thread::yield_now();
        }
        assert_eq!(near.unread_bytes().unwrap(), 5_000);
    }

    #[test]
    fn a_unix_socket_has_no_tcp_info() {
        let name = format!("autostrada-net-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _listener = UnixListener::bind(&path).unwrap();
        let endpoint = Endpoint::Unix(path.clone());
        let stream = Stream::connect(&endpoint, None, &SocketOptions::default()).unwrap();
        std::fs::remove_file(path).unwrap();
        assert!(stream.tcp_info().is_err());
    }
}
