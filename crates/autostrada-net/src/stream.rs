//! Non-blocking TCP sockets: a listener and a stream that say what each call moved.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::os::fd::AsFd;

use mio::event::Source;
use mio::{Interest, Registry, Token};
use socket2::{Domain, Protocol, SockRef, Socket, Type};

use crate::tcp_info;

/// Connections that wait to be accepted; the kernel lowers it to `net.core.somaxconn`.
const BACKLOG: i32 = 65_535;

/// What one call to read or write has moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfer {
    /// So many bytes, never zero.
    Bytes(usize),
    /// Nothing at present: wait until the poller says otherwise.
    WouldBlock,
    /// Nothing ever again: the peer has ended the stream.
    Ended,
}

/// A listening socket.
#[derive(Debug)]
pub struct Listener {
    inner: mio::net::TcpListener,
}

impl Listener {
    /// Listens at `address`, where port 0 takes a free one.
    ///
    /// Accepted connections inherit `congestion_control` (as the kernel names it).
    ///
    /// # Errors
    ///
    /// When the address is taken or not this machine's, or the kernel has no such
    /// congestion control.
    pub fn bind(address: SocketAddr, congestion_control: Option<&str>) -> io::Result<Self> {
        let socket = Socket::new(
            Domain::for_address(address),
            Type::STREAM.nonblocking().cloexec(),
            Some(Protocol::TCP),
        )?;
        socket.set_reuse_address(true)?;
        if let Some(name) = congestion_control {
            socket
                .set_tcp_congestion(name.as_bytes())
                .map_err(|cause| no_congestion_control(name, &cause))?;
        }
        socket.bind(&address.into())?;
        socket.listen(BACKLOG)?;
        Ok(Self {
            inner: mio::net::TcpListener::from_std(socket.into()),
        })
    }

    /// The address it listens at, with the port that was taken.
    ///
    /// # Errors
    ///
    /// When the operating system does not tell.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }

    /// Accepts one waiting connection, or returns `None` when there is none.
    ///
    /// # Errors
    ///
    /// When the process has no descriptor left.
    pub fn accept(&self) -> io::Result<Option<Stream>> {
        loop {
            match self.inner.accept() {
                Ok((stream, _)) => return Stream::new(stream).map(Some),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                // The peer went away while it waited, or a signal came: take the next.
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted
                    ) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Has `registry` report waiting connections as `token`.
    ///
    /// # Errors
    ///
    /// When the operating system refuses.
    pub fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        self.inner.register(registry, token, Interest::READABLE)
    }
}

fn no_congestion_control(name: &str, cause: &io::Error) -> io::Error {
    let available = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")
        .unwrap_or_default();
    io::Error::new(
        cause.kind(),
        format!(
            "congestion control {name:?} cannot be had ({cause}); this kernel offers: {}",
            available.trim()
        ),
    )
}

/// A connected, or connecting, socket with `TCP_NODELAY`.
#[derive(Debug)]
pub struct Stream {
    inner: mio::net::TcpStream,
}

impl Stream {
    fn new(inner: mio::net::TcpStream) -> io::Result<Self> {
        inner.set_nodelay(true)?;
        Ok(Self { inner })
    }

    /// Begins to connect; when the poller says writable, ask `connect_error`.
    ///
    /// # Errors
    ///
    /// When there is no descriptor, port or route.
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        mio::net::TcpStream::connect(address).and_then(Self::new)
    }

    /// Why connecting failed, if it did.
    ///
    /// # Errors
    ///
    /// When the operating system does not tell.
    pub fn connect_error(&self) -> io::Result<Option<io::Error>> {
        self.inner.take_error()
    }

    /// Reads once into `buffer`.
    ///
    /// # Errors
    ///
    /// When the connection was reset.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<Transfer> {
        debug_assert!(!buffer.is_empty(), "reading nothing looks like the end");
        loop {
            match self.inner.read(buffer) {
                Ok(0) => return Ok(Transfer::Ended),
                other => {
                    if let Some(transfer) = transferred(other)? {
                        return Ok(transfer);
                    }
                }
            }
        }
    }

    /// Writes once from `bytes`, which must not be empty.
    ///
    /// # Errors
    ///
    /// When the connection was reset.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<Transfer> {
        debug_assert!(!bytes.is_empty(), "writing nothing moves nothing");
        loop {
            if let Some(transfer) = transferred(self.inner.write(bytes))? {
                return Ok(transfer);
            }
        }
    }

    /// Says to the peer that nothing more will be sent.
    ///
    /// # Errors
    ///
    /// When the connection is gone already.
    pub fn shutdown_write(&self) -> io::Result<()> {
        self.inner.shutdown(Shutdown::Write)
    }

    /// How many bytes the peer's kernel has acknowledged since the connection began.
    ///
    /// # Errors
    ///
    /// When the kernel does not tell.
    pub fn bytes_acknowledged(&self) -> io::Result<u64> {
        tcp_info::bytes_acknowledged(self.inner.as_fd())
    }

    /// The congestion control in force, as the kernel names it.
    ///
    /// # Errors
    ///
    /// When the operating system does not tell.
    pub fn congestion_control(&self) -> io::Result<String> {
        let name = SockRef::from(&self.inner).tcp_congestion()?;
        let text = name.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    /// Has `registry` report when it can be read or written, as `token`, once per change.
    ///
    /// # Errors
    ///
    /// When the operating system refuses.
    pub fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        let interest = Interest::READABLE | Interest::WRITABLE;
        self.inner.register(registry, token, interest)
    }
}

/// Turns a system call's result into a transfer; `None` when a signal interrupted it.
fn transferred(result: io::Result<usize>) -> io::Result<Option<Transfer>> {
    match result {
        Ok(bytes) => Ok(Some(Transfer::Bytes(bytes))),
        Err(error) => match error.kind() {
            io::ErrorKind::WouldBlock => Ok(Some(Transfer::WouldBlock)),
            io::ErrorKind::Interrupted => Ok(None),
            _ => Err(error),
        },
    }
}
