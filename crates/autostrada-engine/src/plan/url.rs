//! Addresses: URLs such as `ws://host:port/path`, and `host:port`.

use std::net::{SocketAddr, ToSocketAddrs};

use super::PlanError;

/// The protocol family of a URL, with or without TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// `ws://`, `wss://`.
    WebSocket,
    /// `http://`, `https://`.
    Http,
    /// `tcp://`, `tls://`.
    Tcp,
}

/// The parts of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// Protocol family.
    pub scheme: Scheme,
    /// Whether TLS is used.
    pub is_encrypted: bool,
    /// Host and port as written, for the `Host` header.
    pub authority: String,
    /// Path with the query; `/` if the URL has none.
    pub path: String,
}

impl Url {
    /// Parses a URL such as `ws://host:port/path`.
    ///
    /// # Errors
    ///
    /// Returns an error if the text has another form or scheme, user information, a fragment or
    /// white space.
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

    /// Returns the host without port and brackets, as a certificate names it.
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

    /// Resolves the address. The default port is 80, or 443 with TLS.
    ///
    /// # Errors
    ///
    /// Returns an error if the name cannot be resolved.
    pub fn resolve(&self) -> Result<SocketAddr, PlanError> {
        if self.has_port() {
            resolve(&self.authority)
        } else {
            let port = if self.is_encrypted { 443 } else { 80 };
            resolve(&format!("{}:{port}", self.authority))
        }
    }
}

/// Resolves `host:port`.
///
/// # Errors
///
/// Returns an error if the text has another form, or the name cannot be resolved.
pub fn resolve(address: &str) -> Result<SocketAddr, PlanError> {
    let wrong =
        |cause: &str| PlanError::new(format!("{address:?} is not a valid host:port: {cause}"));
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
