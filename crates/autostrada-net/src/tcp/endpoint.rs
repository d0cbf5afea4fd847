//! What a client connects to.

use std::fmt;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

/// The address of a server: of a TCP socket, or the path of a Unix socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// An IP address and a port.
    Tcp(SocketAddr),
    /// The path of a Unix socket: `unix(7)`.
    Unix(PathBuf),
}

impl Endpoint {
    /// Whether it is a loopback address, whose connections do not leave this machine.
    pub fn is_loopback(&self) -> bool {
        match self {
            Self::Tcp(address) => address.ip().is_loopback(),
            Self::Unix(_) => false,
        }
    }

    /// Whether something listens there, which one connection finds out.
    pub fn has_listener(&self) -> bool {
        match self {
            // A socket whose own port is the one that it connects to reaches itself.
            Self::Tcp(address) => TcpStream::connect(address)
                .and_then(|stream| stream.local_addr())
                .is_ok_and(|own| own != *address),
            Self::Unix(path) => UnixStream::connect(path).is_ok(),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => path.display().fmt(f),
        }
    }
}
