//! Addresses: URLs such as `ws://host:port/path`, and `host:port`.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

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
    /// Path of the Unix socket; `None` for TCP.
    pub socket: Option<PathBuf>,
}

impl Url {
    /// Parses a URL such as `ws://host:port/path`, or `unix:/socket:/path` for a WebSocket server at
    /// a Unix socket.
    /// Returns an error if the text has another form or scheme, user information, a fragment or
    /// white space.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        if let Some(rest) = text.strip_prefix("unix:") {
            return Self::parse_unix(rest);
        }
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
            socket: None,
        })
    }

    fn parse_unix(rest: &str) -> Result<Self, PlanError> {
        let (socket, path) = match rest.split_once(":/") {
            Some((socket, path)) => (socket, format!("/{path}")),
            None => (rest, "/".to_owned()),
        };
        let has_blank = path.contains(|c: char| c.is_whitespace() || c.is_control() || c == '#');
        if socket.is_empty() || has_blank {
            return Err(PlanError::new(format!(
                "\"unix:{rest}\" is not unix:SOCKET or unix:SOCKET:/PATH"
            )));
        }
        Ok(Self {
            scheme: Scheme::WebSocket,
            is_encrypted: false,
            authority: "localhost".to_owned(),
            path,
            socket: Some(socket.into()),
        })
    }

    /// Returns the host without port and brackets, as a certificate names it.
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

    /// Returns the port; the default is 80, or 443 with TLS.
    fn port(&self) -> Result<u16, PlanError> {
        match self.authority.rsplit_once(':') {
            Some((_, port)) if self.has_port() => port.parse().map_err(|_| {
                PlanError::new(format!("{:?}: a port is at most 65535", self.authority))
            }),
            _ => Ok(if self.is_encrypted { 443 } else { 80 }),
        }
    }

    /// Returns the host and the port, also if the URL has none.
    pub fn host_and_port(&self) -> Result<String, PlanError> {
        let port = self.port()?;
        Ok(if self.has_port() {
            self.authority.clone()
        } else {
            format!("{}:{port}", self.authority)
        })
    }

    /// Resolves the address of the host.
    pub fn resolve(&self) -> Result<SocketAddr, PlanError> {
        resolve(&self.host_and_port()?)
    }

    /// Returns the address with this IP address instead of that of the host.
    pub fn at(&self, ip: IpAddr) -> Result<SocketAddr, PlanError> {
        Ok(SocketAddr::new(ip, self.port()?))
    }
}

/// An HTTP proxy.
#[derive(Debug)]
pub struct Proxy {
    /// The address, without user and password.
    pub url: Url,
    /// User and password, separated by a colon; `None` without.
    pub credentials: Option<String>,
}

impl Proxy {
    /// Takes `http://host:port` or `http://user:password@host:port` apart.
    /// Returns an error, which does not contain the password, if the text has another form.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let wrong =
            || PlanError::new("proxy: write http://HOST:PORT, or http://USER:PASSWORD@HOST:PORT");
        let rest = text.strip_prefix("http://").ok_or_else(wrong)?;
        let (credentials, authority) = match rest.rsplit_once('@') {
            Some((credentials, authority)) => (Some(credentials.to_owned()), authority),
            None => (None, rest),
        };
        let url = Url::parse(&format!("http://{authority}")).map_err(|_| wrong())?;
        if url.path != "/" {
            return Err(wrong());
        }
        Ok(Self { url, credentials })
    }
}

/// Resolves `host:port`.
pub fn resolve(address: &str) -> Result<SocketAddr, PlanError> {
    let unresolved = |cause: &str| {
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        PlanError::new(format!(
            "the host name {host:?} cannot be resolved: {cause}: check its spelling and the DNS"
        ))
    };
    address
        .to_socket_addrs()
        .map_err(|error| match error.kind() {
            ErrorKind::InvalidInput => {
                PlanError::new(format!("{address:?} is not a valid host:port: {error}"))
            }
            _ => unresolved(&error.to_string()),
        })?
        .next()
        .ok_or_else(|| unresolved("it has no address"))
}

#[cfg(test)]
#[path = "tests/url.rs"]
mod tests;
