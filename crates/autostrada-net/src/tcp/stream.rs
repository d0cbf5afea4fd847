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
        nix::Error::result(status)?;
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
        nix::Error::result(status)?;
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
#[path = "tests/stream.rs"]
mod tests;
