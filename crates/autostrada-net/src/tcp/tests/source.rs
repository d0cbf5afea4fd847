//! Tests of `source.rs`.

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
