//! What the user can do about connections that do not open.

/// Kinds of failures, parts of their descriptions, and what to do about them.
const REMEDIES: &[(&str, &[&str], &str)] = &[
    (
        "connect",
        &["proxy answered 407"],
        "add user and password: -x http://USER:PASSWORD@HOST:PORT",
    ),
    (
        "connect",
        &["proxy answered"],
        "the proxy does not reach the server: check the URL, and the rules of the proxy",
    ),
    (
        "connect",
        &["refused"],
        "nothing listens there: start the server, or correct the address",
    ),
    (
        "connect",
        &["No such file"],
        "there is no such socket: start the server, or correct the path",
    ),
    (
        "connect",
        &["unreachable", "timed out"],
        "the address cannot be reached: check the network and the address",
    ),
    (
        "tls",
        &["InvalidContentType"],
        "the server speaks no TLS there: use ws://, or another port",
    ),
    (
        "tls",
        &["certificate"],
        "trust its certificate with --ca FILE, or accept any with -k",
    ),
    (
        "handshake",
        &["answered 401", "answered 403"],
        "add credentials with -H or --cookie",
    ),
    (
        "handshake",
        &[
            "answered 404",
            "answered 200",
            "answered 400",
            "answered 426",
        ],
        "no WebSocket is served there: check the path of the URL",
    ),
    (
        "handshake",
        &[
            "answered 301",
            "answered 302",
            "answered 307",
            "answered 308",
        ],
        "use the address to which the server redirects",
    ),
    (
        "handshake",
        &["answered 429", "answered 503"],
        "the server takes no more, so no further ones were opened: lower -c or --connect-rate",
    ),
    (
        "handshake",
        &["ended", "cannot be read"],
        "this is no WebSocket server: check the port and the scheme of the URL",
    ),
    (
        "timeout",
        &[""],
        "the server does not answer the opening request: check the port and the path",
    ),
];

/// Returns what to do about failures of a kind with this description; `None` if it is not known.
pub fn remedy(kind: &str, example: &str) -> Option<&'static str> {
    REMEDIES
        .iter()
        .find(|(of, parts, _)| *of == kind && parts.iter().any(|part| example.contains(part)))
        .map(|(.., remedy)| *remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_failures_have_a_remedy() {
        for (kind, example, part) in [
            ("connect", "Connection refused (os error 111)", "start"),
            ("tls", "invalid peer certificate: Expired", "-k"),
            ("handshake", "server answered 401 Unauthorized: \"…\"", "-H"),
            ("handshake", "server answered 404 Not Found", "path"),
            ("timeout", "the connection did not open in time", "port"),
        ] {
            assert!(remedy(kind, example).unwrap().contains(part), "{example}");
        }
        assert_eq!(
            remedy("handshake", "server answered 418 I'm a teapot"),
            None
        );
        assert_eq!(remedy("read", "reset"), None);
    }
}
