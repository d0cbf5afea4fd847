//! Addresses: `ws://host:port/path` and its like, and `host:port`.

use std::net::{SocketAddr, ToSocketAddrs};

use super::PlanError;

/// What a URL says is spoken, encrypted or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// `ws://`, `wss://`.
    WebSocket,
    /// `http://`, `https://`.
    Http,
    /// `tcp://`, `tls://`.
    Tcp,
}

/// An address, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// What is spoken there.
    pub scheme: Scheme,
    /// Whether by TLS.
    pub is_encrypted: bool,
    /// For the `Host` header: with the port, as written.
    pub authority: String,
    /// With the query; `/` where the URL has none.
    pub path: String,
}

impl Url {
    /// Reads `ws://host:port/path`.
    ///
    /// # Errors
    ///
    /// When it is something else.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let wrong = || PlanError::new(format!("{text:?} is not ws://host:port/path"));
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        let (scheme, is_encrypted) = match scheme {
            "ws" => (Scheme::WebSocket, false),
            "wss" => (Scheme::WebSocket, true),
            "http" => (Scheme::Http, false),
            "https" => (Scheme::Http, true),
            "tcp" => (Scheme::Tcp, false),
            "tls" => (Scheme::Tcp, true),
            _ => return Err(wrong()),
        };
        let (authority, path) = match rest.find(['/', '?']) {
            Some(end) if rest.as_bytes()[end] == b'/' => (&rest[..end], rest[end..].to_owned()),
            Some(end) => (&rest[..end], format!("/{}", &rest[end..])),
            None => (rest, "/".to_owned()),
        };
        let has_blank = text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '#');
        if authority.is_empty() || authority.contains('@') || has_blank {
            return Err(wrong());
        }
        Ok(Self {
            scheme,
            is_encrypted,
            authority: authority.to_owned(),
            path,
        })
    }

    /// The host without its port, as a certificate names it.
    #[must_use]
    pub fn host(&self) -> &str {
        let host = if self.has_port() {
            self.authority.rsplit_once(':').map_or("", |(host, _)| host)
        } else {
            &self.authority
        };
        host.trim_start_matches('[').trim_end_matches(']')
    }

    fn has_port(&self) -> bool {
        self.authority.rsplit_once(':').is_some_and(|(_, port)| {
            !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
        })
    }

    /// Looks up the address; port 80, or 443 with TLS, where the URL names none.
    ///
    /// # Errors
    ///
    /// When the name is unknown.
    pub fn resolve(&self) -> Result<SocketAddr, PlanError> {
        if self.has_port() {
            resolve(&self.authority)
        } else {
            let port = if self.is_encrypted { 443 } else { 80 };
            resolve(&format!("{}:{port}", self.authority))
        }
    }
}

/// Looks up `host:port`.
///
/// # Errors
///
/// When it is not of that form, or the name is unknown.
pub fn resolve(address: &str) -> Result<SocketAddr, PlanError> {
    let wrong = |cause: &str| PlanError::new(format!("{address:?} is no host:port: {cause}"));
    address
        .to_socket_addrs()
        .map_err(|error| wrong(&error.to_string()))?
        .next()
        .ok_or_else(|| wrong("the name has no address"))
}

#[cfg(test)]
mod tests {
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
}
