//! Reads the environment variables of a server: `docs/contract.md`, section 8.

use std::fmt::Display;
use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;

use crate::fail;
use crate::feed::{FeedFormat, Kind, Stock, parse_stocks};
use crate::listening::listen;
use crate::variables::{Environment, read_or_exit};

const PORT_MAX: u64 = 65_535;
const STOCKS_MAX: u64 = 1_000_000;

/// Settings of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedSettings {
    pub format: FeedFormat,
    pub stocks: u64,
    pub stocks_file: Option<PathBuf>,
    pub subscribers: u64,
    /// Interval between messages, in nanoseconds; `None`: continuous.
    pub every_ns: Option<u64>,
    pub duration_ns: Option<u64>,
    pub messages: Option<u64>,
}

impl FeedSettings {
    pub fn new(format: FeedFormat) -> Self {
        Self {
            format,
            stocks: 1,
            stocks_file: None,
            subscribers: 1,
            every_ns: None,
            duration_ns: None,
            messages: None,
        }
    }

    /// Reads the variables of a feed; returns `None` if `FEED` is not set.
    fn read(environment: &Environment) -> Result<Option<Self>, String> {
        let Some(format) = FeedFormat::read(environment)? else {
            return Ok(None);
        };
        let is_timed = environment.has("SECONDS");
        if is_timed == environment.has("MESSAGES") {
            return Err("MESSAGES or SECONDS: give exactly one of them".to_owned());
        }
        let stocks = environment.read_count("STOCKS", Some(1))?;
        if stocks > STOCKS_MAX {
            return Err(format!("STOCKS is {stocks}: give at most {STOCKS_MAX}"));
        }
        let mut settings = Self {
            stocks,
            subscribers: environment.read_count("SUBSCRIBERS", Some(1))?,
            ..Self::new(format)
        };
        if environment.has("EVERY_MS") {
            settings.every_ns = Some(environment.read_interval_ns()?);
        }
        if is_timed {
            settings.duration_ns = Some(environment.read_time_ns("SECONDS")?);
        } else {
            settings.messages = Some(environment.read_count("MESSAGES", None)?);
        }
        if format.kind == Kind::Stocks {
            settings.stocks_file = Some(environment.read_file("STOCKS_FILE")?);
        }
        settings.stocks_of_message(0)?;
        Ok(Some(settings))
    }

    /// Reads the file again and returns the records of a message: `docs/contract.md`, clause 7.1.
    pub fn stocks_of_message(&self, number: u64) -> Result<Vec<Stock>, String> {
        let Some(file) = &self.stocks_file else {
            return Ok(Vec::new());
        };
        let refuse = |reason: &dyn Display| format!("STOCKS_FILE {}: {reason}", file.display());
        let text = fs::read_to_string(file).map_err(|error| refuse(&error))?;
        let rows = parse_stocks(&text).map_err(|reason| refuse(&reason))?;
        let first = number % rows.len() as u64;
        let records = rows.iter().cycle().skip(usize_of(first));
        Ok(records.take(usize_of(self.stocks)).copied().collect())
    }
}

fn usize_of(count: u64) -> usize {
    usize::try_from(count).expect("as many bits as an address")
}

/// Paths of the certificate chain and the key.
#[derive(Debug, PartialEq, Eq)]
pub struct TlsFiles {
    pub cert: PathBuf,
    pub key: PathBuf,
}

impl TlsFiles {
    /// Ends the program because the library rejects these files.
    pub fn refuse(&self, reason: &dyn Display) -> ! {
        let files = format!("{} and {}", self.cert.display(), self.key.display());
        fail(2, &format!("TLS_CERT and TLS_KEY are {files}: {reason}"))
    }
}

/// Settings of a server.
#[derive(Debug, PartialEq, Eq)]
pub struct ServerSettings {
    pub host: String,
    pub port: u16,
    pub tls: Option<TlsFiles>,
    pub workers: u64,
    pub deflate: bool,
    pub feed: Option<FeedSettings>,
}

impl ServerSettings {
    /// Largest payload that a server must accept, whatever the default of its library.
    pub const PAYLOAD_BYTES_MAX: usize = 16 * 1024 * 1024;

    /// Reads the settings, or ends the program. They live as long as the program.
    #[must_use]
    pub fn from_environment() -> &'static Self {
        Box::leak(Box::new(read_or_exit(Self::read)))
    }

    /// Listens on the configured address, or ends the program. Several workers share the port.
    #[must_use]
    pub fn listen(&self) -> TcpListener {
        let Self { host, port, .. } = self;
        listen(host, *port, self.workers > 1)
            .unwrap_or_else(|error| fail(1, &format!("cannot listen on {host}:{port}: {error}")))
    }

    fn read(environment: &Environment) -> Result<Self, String> {
        let port = environment.read_count("PORT", None)?;
        if port > PORT_MAX {
            return Err(format!("PORT is {port}: give at most {PORT_MAX}"));
        }
        let tls = match ["TLS_CERT", "TLS_KEY"].map(|name| environment.has(name)) {
            [false, false] => None,
            _ => Some(TlsFiles {
                cert: environment.read_file("TLS_CERT")?,
                key: environment.read_file("TLS_KEY")?,
            }),
        };
        Ok(Self {
            host: environment
                .get("HOST")
                .unwrap_or_else(|| "127.0.0.1".to_owned()),
            port: u16::try_from(port).expect("it is not above the largest"),
            tls,
            workers: environment.read_count("WORKERS", Some(1))?,
            deflate: environment.read_choice("COMPRESSION", &[("", false), ("deflate", true)])?,
            feed: FeedSettings::read(environment)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::Encoding;

    const STOCKS_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../stocks.csv");

    /// Reads the settings from a port and the given variables.
    fn read_with(given: &[(&str, &str)]) -> Result<ServerSettings, String> {
        let look_up = |name: &str| {
            let found = given.iter().find(|(given, _)| *given == name);
            let value = found.map(|&(_, value)| value);
            value
                .or((name == "PORT").then_some("8008"))
                .map(str::to_owned)
        };
        ServerSettings::read(&Environment::new(&look_up))
    }

    #[test]
    fn a_port_is_enough() {
        let expected = ServerSettings {
            host: "127.0.0.1".to_owned(),
            port: 8008,
            tls: None,
            workers: 1,
            deflate: false,
            feed: None,
        };
        assert_eq!(read_with(&[]), Ok(expected));
    }

    #[test]
    fn everything_is_read() {
        let read = read_with(&[
            ("HOST", "127.0.0.2"),
            ("TLS_CERT", "certificate.pem"),
            ("TLS_KEY", "key.pem"),
            ("WORKERS", "2"),
            ("COMPRESSION", "deflate"),
            ("FEED", "stocks"),
            ("ENCODING", "binary"),
            ("STOCKS", "3"),
            ("STOCKS_FILE", STOCKS_FILE),
            ("SUBSCRIBERS", "8"),
            ("EVERY_MS", "0.5"),
            ("SECONDS", "1.5"),
        ]);
        let expected = ServerSettings {
            host: "127.0.0.2".to_owned(),
            port: 8008,
            tls: Some(TlsFiles {
                cert: "certificate.pem".into(),
                key: "key.pem".into(),
            }),
            workers: 2,
            deflate: true,
            feed: Some(FeedSettings {
                stocks: 3,
                stocks_file: Some(STOCKS_FILE.into()),
                subscribers: 8,
                every_ns: Some(500_000),
                duration_ns: Some(1_500_000_000),
                ..FeedSettings::new(FeedFormat::new(Kind::Stocks, Encoding::Binary))
            }),
        };
        assert_eq!(read, Ok(expected));
    }

    #[test]
    fn a_variable_that_is_missing_or_malformed_is_named() {
        let hello = [("FEED", "hello"), ("MESSAGES", "1")];
        let stocks = [("FEED", "stocks"), ("MESSAGES", "1")];
        for (name, given) in [
            ("PORT", &[("PORT", "0")][..]),
            ("PORT", &[("PORT", "65536")]),
            ("WORKERS", &[("WORKERS", "0")]),
            ("COMPRESSION", &[("COMPRESSION", "gzip")]),
            ("TLS_KEY", &[("TLS_CERT", "certificate.pem")]),
            ("TLS_CERT", &[("TLS_KEY", "key.pem")]),
            ("FEED", &[("FEED", "weather"), ("MESSAGES", "1")]),
            ("ENCODING", &[hello[0], hello[1], ("ENCODING", "xml")]),
            ("MESSAGES", &[("FEED", "hello")]),
            ("MESSAGES", &[hello[0], hello[1], ("SECONDS", "1")]),
            ("SECONDS", &[("FEED", "hello"), ("SECONDS", "0")]),
            ("EVERY_MS", &[hello[0], hello[1], ("EVERY_MS", "0")]),
            ("SUBSCRIBERS", &[hello[0], hello[1], ("SUBSCRIBERS", "0")]),
            ("STOCKS", &[hello[0], hello[1], ("STOCKS", "1000001")]),
            ("STOCKS_FILE", &stocks),
            (
                "STOCKS_FILE",
                &[stocks[0], stocks[1], ("STOCKS_FILE", "/none.csv")],
            ),
            (
                "STOCKS_FILE",
                &[stocks[0], stocks[1], ("STOCKS_FILE", file!())],
            ),
        ] {
            let error = read_with(given).unwrap_err();
            assert!(error.starts_with(&format!("{name} ")), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }
}
