//! What the user can do about failures.

/// Returns what to do about failures of a kind with this description; `None` if it is not known.
pub fn remedy(kind: &str, example: &str) -> Option<&'static str> {
    let has = |part: &str| example.contains(part);
    match kind {
        "connect" => connect(has),
        "tls" => tls(has),
        "handshake" => handshake(has),
        "timeout" => timeout(has),
        _ => None,
    }
}

fn connect(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    Some(if has("proxy answered 407") {
        "add user and password: -x http://USER:PASSWORD@HOST:PORT"
    } else if has("proxy answered") {
        "the proxy does not reach the server: check the URL, and the rules of the proxy"
    } else if has("refused") {
        "nothing listens there: start the server, or correct the address"
    } else if has("No such file") {
        "there is no such socket: start the server, or correct the path"
    } else if has("unreachable") || has("timed out") {
        "the address cannot be reached: check the network and the address"
    } else {
        return None;
    })
}

fn tls(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    Some(if has("InvalidContentType") {
        "the server speaks no TLS there: use ws://, or another port"
    } else if has("certificate expired") || has("Expired") {
        "renew the server's certificate, or accept any with -k"
    } else if has("not valid yet") || has("NotValidYet") {
        "check the clocks of this machine and of the server, or accept any certificate with -k"
    } else if has("not valid for name") || has("NotValidForName") {
        "use a name that the certificate has in the URL, with --resolve IP if it has another \
         address, or accept any certificate with -k"
    } else if has("UnknownIssuer") {
        "trust its certificate authority with --ca FILE, or accept any certificate with -k"
    } else if has("certificate") {
        "correct the server's certificate, or accept any with -k"
    } else {
        return None;
    })
}

fn handshake(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let answered = |codes: &[u16]| codes.iter().any(|code| has(&format!("answered {code}")));
    Some(if has("Invalid namespace") {
        "set a namespace that the server has with --namespace"
    } else if has("the server refused") {
        "add what the server asks for with --auth"
    } else if answered(&[401, 403]) {
        "add credentials with -H or --cookie"
    } else if answered(&[404, 200, 400, 426]) {
        "no WebSocket is served there: check the path of the URL"
    } else if answered(&[301, 302, 307, 308]) {
        "use the address to which the server redirects"
    } else if answered(&[429, 503]) {
        "the server takes no more, so no further ones were opened: lower -c or --connect-rate"
    } else if has("ended") || has("cannot be read") {
        "this is no WebSocket server: check the port and the scheme of the URL"
    } else {
        return None;
    })
}

fn timeout(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    Some(if has("TCP connection") {
        "the address cannot be reached, or the server accepts too slowly: check the network and the \
         address, or lower --connect-rate"
    } else if has("TLS handshake") {
        "check that the port serves TLS, and the proxy if there is one"
    } else if has("opening handshake") {
        "the server does not answer the opening request: check the port and the path, or give it \
         more time (--connect-timeout)"
    } else if has("did not open in time") {
        "the server is too slow to open so many connections: lower -c, or check the port and the path"
    } else if has("a message was not answered") {
        "the server is too slow, or sends no answer to such messages: say what answers them \
         (--reply), or only count messages (--receive, or --reply none with -r)"
    } else {
        return None;
    })
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
