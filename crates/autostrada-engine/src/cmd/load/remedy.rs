//! What the user can do about failures.

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
        &["certificate expired", "Expired"],
        "renew the server's certificate, or accept any with -k",
    ),
    (
        "tls",
        &["not valid yet", "NotValidYet"],
        "check the clocks of this machine and of the server, or accept any certificate with -k",
    ),
    (
        "tls",
        &["not valid for name", "NotValidForName"],
        "use a name that the certificate has in the URL, with --resolve IP if it has another \
         address, or accept any certificate with -k",
    ),
    (
        "tls",
        &["UnknownIssuer"],
        "trust its certificate authority with --ca FILE, or accept any certificate with -k",
    ),
    (
        "tls",
        &["certificate"],
        "correct the server's certificate, or accept any with -k",
    ),
    (
        "handshake",
        &["Invalid namespace"],
        "set a namespace that the server has with --namespace",
    ),
    (
        "handshake",
        &["the server refused"],
        "add what the server asks for with --auth",
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
        &["TCP connection"],
        "the address cannot be reached, or the server accepts too slowly: check the network and the \
         address, or lower --connect-rate",
    ),
    (
        "timeout",
        &["TLS handshake"],
        "check that the port serves TLS, and the proxy if there is one",
    ),
    (
        "timeout",
        &["opening handshake"],
        "the server does not answer the opening request: check the port and the path, or give it \
         more time (--connect-timeout)",
    ),
    (
        "timeout",
        &["did not open in time"],
        "the server is too slow to open so many connections: lower -c, or check the port and the path",
    ),
    (
        "timeout",
        &["a message was not answered"],
        "the server is too slow, or sends no answer to such messages: say what answers them \
         (--reply), or only count messages (--receive, or --reply none with -r)",
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
            ("tls", "invalid peer certificate: Expired", "renew"),
            ("tls", "invalid peer certificate: UnknownIssuer", "--ca"),
            ("tls", "certificate not valid for name \"a\"", "--resolve"),
            ("tls", "invalid peer certificate: BadEncoding", "-k"),
            ("handshake", "server answered 401 Unauthorized: \"…\"", "-H"),
            ("handshake", "server answered 404 Not Found", "path"),
            (
                "handshake",
                "the server refused /a: {\"message\":\"Invalid namespace\"}",
                "--namespace",
            ),
            ("handshake", "the server refused /: \"no token\"", "--auth"),
            ("timeout", "the connection did not open in time", "port"),
            (
                "timeout",
                "the opening handshake was not answered within 10 s",
                "--connect-timeout",
            ),
            (
                "timeout",
                "a message was not answered before the drain was over",
                "--reply",
            ),
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
