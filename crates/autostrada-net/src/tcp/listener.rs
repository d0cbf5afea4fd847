//! A listening TCP socket.

use std::io;
use std::net::SocketAddr;

use mio::event::Source;
use mio::{Interest, Registry, Token};
use socket2::{Domain, Protocol, SockRef, Socket, Type};

use super::options::SocketOptions;
use super::stream::Stream;

/// Requested length of the accept queue; the kernel limits it to `net.core.somaxconn`.
const BACKLOG: i32 = 65_535;

/// A listening socket.
#[derive(Debug)]
pub struct Listener {
    inner: mio::net::TcpListener,
    no_delay: bool,
}

impl Listener {
    /// Listens at `address`; port 0 selects a free port.
    /// Returns an error if the address is in use or does not belong to this machine, or if the
    /// kernel does not offer the congestion control.
    pub fn bind(address: SocketAddr, options: &SocketOptions) -> io::Result<Self> {
        let socket = Socket::new(
            Domain::for_address(address),
            Type::STREAM.nonblocking().cloexec(),
            Some(Protocol::TCP),
        )?;
        socket.set_reuse_address(true)?;
        options.apply(&SockRef::from(&socket))?;
        socket.bind(&address.into())?;
        socket.listen(BACKLOG)?;
        Ok(Self {
            inner: mio::net::TcpListener::from_std(socket.into()),
            no_delay: options.no_delay,
        })
    }

    /// Returns another descriptor of the same socket, for another thread's poller.
    pub fn try_clone(&self) -> io::Result<Self> {
        let socket = SockRef::from(&self.inner).try_clone()?;
        Ok(Self {
            inner: mio::net::TcpListener::from_std(socket.into()),
            no_delay: self.no_delay,
        })
    }

    /// Returns the address of the socket, with the selected port.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }

    /// Accepts one waiting connection, or returns `None` if there is none.
    pub fn accept(&self) -> io::Result<Option<Stream>> {
        loop {
            match self.inner.accept() {
                Ok((stream, _)) => return Stream::new(stream, self.no_delay).map(Some),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                // The peer closed while it waited, or a signal arrived: accept the next one.
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted
                    ) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Registers the socket, so that waiting connections are reported as `token`.
    pub fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        self.inner.register(registry, token, Interest::READABLE)
    }

    /// Deregisters the socket, so that waiting connections are no longer reported.
    pub fn deregister(&mut self, registry: &Registry) -> io::Result<()> {
        self.inner.deregister(registry)
    }
}

#[cfg(test)]
#[path = "tests/listener.rs"]
mod tests;
