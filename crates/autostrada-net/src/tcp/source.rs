//! The local addresses that connections to a server can have.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;

use nix::ifaddrs::getifaddrs;
use nix::sys::socket::{SockaddrStorage, setsockopt, sockopt::IpBindAddressNoPort};
use socket2::{Domain, Socket, Type};

/// Gives a socket a local address; its port is chosen when it connects.
pub(super) fn bind(socket: &Socket, source: IpAddr) -> io::Result<()> {
    setsockopt(&socket.as_fd(), IpBindAddressNoPort, &true)?;
    socket.bind(&SocketAddr::new(source, 0).into())
}

/// Checks that connections to a server can have a local address.
/// Returns an error if it is of another family, or does not belong to this machine.
pub fn check_source(source: IpAddr, server: SocketAddr) -> io::Result<()> {
    bind(
        &Socket::new(Domain::for_address(server), Type::STREAM, None)?,
        source,
    )
}

/// Returns all addresses that connections to a server can have: those of its family on the interface
/// with the address that the kernel would choose.
/// Returns an error if the server cannot be reached, or there is no such address.
pub fn source_addresses(server: SocketAddr) -> io::Result<Vec<IpAddr>> {
    let probe = Socket::new(Domain::for_address(server), Type::DGRAM, None)?;
    // Nothing is sent: the kernel only chooses the route.
    probe.connect(&server.into())?;
    let chosen = probe.local_addr()?.as_socket().map(|address| address.ip());
    let all: Vec<_> = getifaddrs()?
        .filter_map(|each| Some((each.interface_name, ip(&each.address?)?)))
        .collect();
    let mut found = chosen.map_or_else(Vec::new, |chosen| beside(chosen, &all));
    found.retain(|source| check_source(*source, server).is_ok());
    if found.is_empty() {
        return Err(io::ErrorKind::AddrNotAvailable.into());
    }
    Ok(found)
}

fn ip(address: &SockaddrStorage) -> Option<IpAddr> {
    let v4 = address.as_sockaddr_in().map(|address| address.ip().into());
    v4.or_else(|| address.as_sockaddr_in6().map(|address| address.ip().into()))
}

/// Returns the addresses on the interface of a chosen one that reach what it reaches.
fn beside(chosen: IpAddr, all: &[(String, IpAddr)]) -> Vec<IpAddr> {
    let scope = |ip: IpAddr| {
        let is_link_local = match ip {
            IpAddr::V4(ip) => ip.is_link_local(),
            IpAddr::V6(ip) => ip.is_unicast_link_local(),
        };
        (ip.is_ipv4(), ip.is_loopback(), is_link_local)
    };
    let Some((label, _)) = all.iter().find(|(_, ip)| *ip == chosen) else {
        return Vec::new();
    };
    all.iter()
        .filter(|(other, ip)| interface(other) == interface(label) && scope(*ip) == scope(chosen))
        .map(|(_, ip)| *ip)
        .collect()
}

/// Returns the interface that a label such as `eth0:1` of an address of IPv4 is for.
fn interface(label: &str) -> &str {
    label.split_once(':').map_or(label, |(name, _)| name)
}

#[cfg(test)]
#[path = "tests/source.rs"]
mod tests;
