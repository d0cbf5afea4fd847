//! Listens on a port that several processes share: the standard library has no `SO_REUSEPORT`.

use std::io;
use std::mem::size_of;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use libc::{c_int, c_void, sockaddr_in, sockaddr_in6, socklen_t};

/// Listens on a port. If `is_shared`, other processes may listen on it as well.
pub fn listen(host: &str, port: u16, is_shared: bool) -> io::Result<TcpListener> {
    if !is_shared {
        return TcpListener::bind((host, port));
    }
    let mut addresses = (host, port).to_socket_addrs()?;
    let address = addresses
        .next()
        .ok_or_else(|| io::Error::other("the host has no address"))?;
    listen_shared(address)
}

fn listen_shared(address: SocketAddr) -> io::Result<TcpListener> {
    let family = match address {
        SocketAddr::V4(_) => libc::AF_INET,
        SocketAddr::V6(_) => libc::AF_INET6,
    };
    // SAFETY: no pointers are passed, and nothing else owns the new descriptor.
    let socket = unsafe {
        let descriptor = check(libc::socket(
            family,
            libc::SOCK_STREAM | libc::SOCK_CLOEXEC,
            0,
        ))?;
        OwnedFd::from_raw_fd(descriptor)
    };
    for option in [libc::SO_REUSEADDR, libc::SO_REUSEPORT] {
        let on: c_int = 1;
        let (place, size) = place_of(&on);
        // SAFETY: pointer and size are those of `on`, which outlives the call.
        check(unsafe {
            libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, place, size)
        })?;
    }
    bind(&socket, address)?;
    // SAFETY: no pointers. The backlog is the one that the standard library uses.
    check(unsafe { libc::listen(socket.as_raw_fd(), -1) })?;
    Ok(TcpListener::from(socket))
}

fn bind(socket: &OwnedFd, address: SocketAddr) -> io::Result<c_int> {
    let (v4, v6);
    let (place, size) = match address {
        SocketAddr::V4(address) => {
            v4 = sockaddr_in {
                sin_family: family_of(libc::AF_INET),
                sin_port: address.port().to_be(),
                sin_addr: libc::in_addr {
                    s_addr: u32::from_ne_bytes(address.ip().octets()),
                },
                sin_zero: [0; 8],
            };
            place_of(&v4)
        }
        SocketAddr::V6(address) => {
            v6 = sockaddr_in6 {
                sin6_family: family_of(libc::AF_INET6),
                sin6_port: address.port().to_be(),
                sin6_flowinfo: address.flowinfo(),
                sin6_addr: libc::in6_addr {
                    s6_addr: address.ip().octets(),
                },
                sin6_scope_id: address.scope_id(),
            };
            place_of(&v6)
        }
    };
    // SAFETY: pointer and size are those of an address of its family, which outlives the call.
    check(unsafe { libc::bind(socket.as_raw_fd(), place.cast(), size) })
}

fn family_of(family: c_int) -> libc::sa_family_t {
    libc::sa_family_t::try_from(family).expect("families are small numbers")
}

fn place_of<T>(value: &T) -> (*const c_void, socklen_t) {
    let size = socklen_t::try_from(size_of::<T>()).expect("it is small");
    ((&raw const *value).cast(), size)
}

fn check(status: c_int) -> io::Result<c_int> {
    match status {
        -1 => Err(io::Error::last_os_error()),
        status => Ok(status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_listeners_may_share_a_port_and_accept_all_connections() {
        for host in ["127.0.0.1", "::1"] {
            let Ok(first) = listen(host, 0, true) else {
                assert_eq!(host, "::1", "every host has this address");
                continue;
            };
            let address = first.local_addr().unwrap();
            let second = listen(host, address.port(), true).unwrap();
            assert_eq!(second.local_addr().unwrap(), address);
            assert_eq!(address.ip().to_string(), host);
        }
    }

    #[test]
    fn a_port_in_use_is_refused_without_sharing() {
        let taken = listen("127.0.0.1", 0, false).unwrap();
        let port = taken.local_addr().unwrap().port();
        assert!(listen("127.0.0.1", port, false).is_err());
        assert!(listen("127.0.0.1", port, true).is_err());
    }
}
