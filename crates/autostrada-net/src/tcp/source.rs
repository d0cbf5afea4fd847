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
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_the_family_the_scope_and_the_interface_of_the_chosen_one() {
        let all = [
            ("lo", "127.0.0.1"),
            ("lo", "10.9.9.9"),
            ("lo", "::1"),
            ("eth0", "10.0.0.1"),
            ("eth0:1", "10.0.0.2"),
            ("eth0", "169.254.0.1"),
            ("eth0", "2001:db8::1"),
            ("eth0", "2001:db8::2"),
            ("eth0", "fe80::1"),
            ("eth1", "10.0.0.3"),
        ]
        .map(|(name, ip)| (name.to_owned(), ip.parse().unwrap()));
        for (chosen, expected) in [
            ("127.0.0.1", &["127.0.0.1"][..]),
            ("::1", &["::1"]),
            ("10.0.0.1", &["10.0.0.1", "10.0.0.2"]),
            ("10.0.0.2", &["10.0.0.1", "10.0.0.2"]),
            ("2001:db8::2", &["2001:db8::1", "2001:db8::2"]),
            ("10.0.0.3", &["10.0.0.3"]),
            ("10.0.0.4", &[]),
        ] {
            let found: Vec<_> = beside(chosen.parse().unwrap(), &all);
            let found: Vec<_> = found.iter().map(ToString::to_string).collect();
            assert_eq!(found, expected, "{chosen}");
        }
    }

    #[test]
    fn loopback_is_reached_from_its_own_address() {
        let loopback: IpAddr = "127.0.0.1".parse().unwrap();
        let server = SocketAddr::new(loopback, 1);
        assert!(source_addresses(server).unwrap().contains(&loopback));
    }

    #[test]
    fn an_address_of_another_machine_or_family_is_no_source() {
        let server = "127.0.0.1:1".parse().unwrap();
        assert!(check_source("127.0.0.7".parse().unwrap(), server).is_ok());
        for foreign in ["192.0.2.1", "::1"] {
            assert!(check_source(foreign.parse().unwrap(), server).is_err());
        }
    }
}
