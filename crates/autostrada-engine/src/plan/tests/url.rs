//! Tests of `url.rs`.

use super::*;

#[test]
fn takes_a_url_apart() {
    for (text, authority, path) in [
        ("ws://127.0.0.1:8008/10", "127.0.0.1:8008", "/10"),
        ("ws://localhost", "localhost", "/"),
        ("wss://localhost/x", "localhost", "/x"),
        ("ws://[::1]:80?x=/", "[::1]:80", "/?x=/"),
    ] {
        let url = Url::parse(text).unwrap();
        assert_eq!(
            (url.authority.as_str(), url.path.as_str()),
            (authority, path)
        );
    }
}

#[test]
fn refuses_what_is_no_ws_url() {
    for text in [
        "",
        "ws://",
        "ftp://a/",
        "ws:///x",
        "ws://a b/",
        "ws://a/\r\nX: y",
        "ws://u@h/",
    ] {
        assert!(Url::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn a_unix_socket_may_have_a_path_of_the_request() {
    for (text, socket, path) in [
        ("unix:/run/a.sock", "/run/a.sock", "/"),
        ("unix:a.sock:/chat?x=1", "a.sock", "/chat?x=1"),
    ] {
        let url = Url::parse(text).unwrap();
        assert_eq!(url.socket, Some(socket.into()));
        assert_eq!(
            (url.authority.as_str(), url.path.as_str()),
            ("localhost", path)
        );
    }
    assert!(Url::parse("unix:").is_err());
}

#[test]
fn a_proxy_may_have_a_user() {
    let proxy = Proxy::parse("http://ann:p@ss@proxy.test:3128/").unwrap();
    assert_eq!(proxy.url.authority, "proxy.test:3128");
    assert_eq!(proxy.credentials.as_deref(), Some("ann:p@ss"));
    assert!(
        Proxy::parse("http://proxy.test")
            .unwrap()
            .credentials
            .is_none()
    );
    for text in [
        "proxy:3128",
        "https://ann:secret@p",
        "http://ann:secret@p/x",
    ] {
        let error = Proxy::parse(text).unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }
}

#[test]
fn an_address_without_a_port_is_malformed_and_its_name_is_not_resolved() {
    let error = resolve("localhost").unwrap_err().to_string();
    assert!(error.contains("is not a valid host:port"), "{error}");
}

#[test]
fn another_address_keeps_the_port() {
    let ip = "127.0.0.9".parse().unwrap();
    let at = |url: &str| Url::parse(url).unwrap().at(ip);
    assert_eq!(at("ws://example.org/").unwrap().port(), 80);
    assert_eq!(at("wss://example.org/").unwrap().port(), 443);
    assert_eq!(
        at("ws://example.org:8/x").unwrap().to_string(),
        "127.0.0.9:8"
    );
    assert!(at("ws://example.org:99999/").is_err());
}

#[test]
fn a_certificate_is_for_the_host_without_its_port() {
    for (text, host) in [
        ("wss://localhost/", "localhost"),
        ("wss://example.org:443/", "example.org"),
        ("wss://[::1]:8443/", "::1"),
    ] {
        assert_eq!(Url::parse(text).unwrap().host(), host);
    }
    assert!(Url::parse("wss://a/").unwrap().is_encrypted);
    assert!(!Url::parse("ws://a/").unwrap().is_encrypted);
}
