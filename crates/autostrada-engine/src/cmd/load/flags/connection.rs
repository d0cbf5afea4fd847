//! The options of connections.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};

use super::object;
use crate::cmd::load::quantity::Seconds;

/// How long a connection may take to open, in seconds.
const CONNECT_TIMEOUT_S: f64 = 10.0;

/// An address that connections are opened from; `None` for all of this machine.
type Source = Option<IpAddr>;

/// How connections are opened.
#[derive(Debug, Args)]
#[command(next_help_heading = "Connection")]
pub struct ConnectionFlags {
    /// Header field of the opening request; can be repeated.
    #[arg(short = 'H', long, value_name = "NAME: VALUE", value_parser = header)]
    header: Vec<(String, String)>,

    /// Cookie of the opening request; can be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = cookie)]
    cookie: Vec<(String, String)>,

    /// Subprotocol to offer; can be repeated.
    #[arg(long, value_name = "NAME")]
    subprotocol: Vec<String>,

    /// Message that each connection sends once it is open, before the load, as to subscribe or to join
    /// a room; parts in double braces are replaced, and it can be repeated. With Socket.IO it is an
    /// event with its arguments: '["join",{"room":"a"}]'.
    #[arg(long, value_name = "TEXT")]
    pub on_open: Vec<String>,

    /// Offer permessage-deflate.
    #[arg(long)]
    pub compress: bool,

    /// Accept any certificate.
    #[arg(short = 'k', long)]
    pub insecure: bool,

    /// Certificates to trust (PEM) [default: those of the system].
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,

    /// Own certificate (PEM), for a server that asks for one, with --key.
    #[arg(long, value_name = "FILE")]
    pub cert: Option<PathBuf>,

    /// Private key of --cert (PEM).
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,

    /// HTTP proxy that opens a tunnel for each connection: http://[USER:PASSWORD@]HOST:PORT.
    #[arg(short = 'x', long, value_name = "URL")]
    pub proxy: Option<String>,

    /// Address of the server, instead of resolving the host of the URL.
    #[arg(long, value_name = "IP")]
    pub resolve: Option<IpAddr>,

    /// A connection fails that does not open within this time [default: 10s].
    #[arg(long, value_name = "TIME")]
    pub connect_timeout: Option<Seconds>,

    /// Local address to connect from, or auto: all that this machine has on the interface by which
    /// the server is reached; can be repeated.
    #[arg(long, value_name = "IP", value_parser = source)]
    pub source: Vec<Source>,
}

impl ConnectionFlags {
    /// Returns how long a connection may take to open, in seconds.
    pub fn connect_timeout_s(&self) -> f64 {
        self.connect_timeout
            .map_or(CONNECT_TIMEOUT_S, |Seconds(seconds)| seconds)
    }

    /// Returns the TLS settings of the plan that differ from the defaults; `None` if none does.
    pub fn tls(&self) -> Option<Value> {
        let tls = object([
            ("insecure", json!(self.insecure.then_some(true))),
            ("ca_file", json!(self.ca)),
            ("certificate_file", json!(self.cert)),
            ("key_file", json!(self.key)),
        ]);
        (tls != json!({})).then_some(tls)
    }

    /// Returns the request of the plan; `None` if nothing is added to it.
    pub fn request(&self) -> Option<Value> {
        let by_name = |pairs: &[(String, String)]| -> Map<String, Value> {
            let pairs = pairs.iter().cloned();
            pairs.map(|(name, value)| (name, json!(value))).collect()
        };
        let is_empty =
            self.header.is_empty() && self.cookie.is_empty() && self.subprotocol.is_empty();
        (!is_empty).then(|| {
            json!({
                "headers": by_name(&self.header), "cookies": by_name(&self.cookie),
                "subprotocols": self.subprotocol,
            })
        })
    }
}

/// Parses a local address, or `auto`.
fn source(text: &str) -> Result<Source, String> {
    if text == "auto" {
        return Ok(None);
    }
    let address = text.parse().map(Some);
    address.map_err(|_| format!("{text:?} is neither an IP address nor auto"))
}

/// Parses a header field: `Name: value`.
fn header(text: &str) -> Result<(String, String), String> {
    pair(text, ':').ok_or_else(|| format!("{text:?} is not a header field such as \"Name: value\""))
}

/// Parses a cookie: `name=value`.
fn cookie(text: &str) -> Result<(String, String), String> {
    pair(text, '=').ok_or_else(|| format!("{text:?} is not a cookie such as name=value"))
}

fn pair(text: &str, separator: char) -> Option<(String, String)> {
    let (name, value) = text.split_once(separator)?;
    let name = name.trim();
    (!name.is_empty()).then(|| (name.to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_a_name() {
        assert_eq!(header("A: b:c"), Ok(("A".to_owned(), "b:c".to_owned())));
        assert!(header("nothing").is_err() && header(": b").is_err());
        assert_eq!(cookie("a=b=c"), Ok(("a".to_owned(), "b=c".to_owned())));
    }
}
