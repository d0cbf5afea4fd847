//! Reads the environment variables of a client: `docs/contract.md`, sections 3, 5 and 7.

use crate::feed::FeedFormat;
use crate::variables::{Environment, read_or_exit};

/// Format of the lines that a client prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    Json,
    Autoroute,
}

/// Workload of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workload {
    Receive,
    Echo,
}

/// Settings of a client that receives.
#[derive(Debug, PartialEq, Eq)]
pub struct Settings {
    pub url: String,
    /// Messages per connection; `None`: until the server closes.
    pub messages: Option<u64>,
    pub connections: u64,
    pub lines: Lines,
    pub feed: Option<FeedFormat>,
}

/// Settings of a client that exchanges echoes.
#[derive(Debug, PartialEq, Eq)]
pub struct EchoSettings {
    pub url: String,
    pub connections: u64,
    pub payload: String,
    pub warm_up_ns: u64,
    pub window_ns: u64,
}

impl Workload {
    /// Reads the client's workload, or ends the program.
    #[must_use]
    pub fn from_environment() -> Self {
        read_or_exit(Self::read)
    }

    fn read(environment: &Environment) -> Result<Self, String> {
        let choices = [("receive", Self::Receive), ("echo", Self::Echo)];
        environment.read_choice("WORKLOAD", &choices)
    }
}

impl Settings {
    pub fn read(environment: &Environment) -> Result<Self, String> {
        let feed = FeedFormat::read(environment)?;
        let is_unlimited = feed.is_some() && !environment.has("MESSAGES");
        let choices = [("json", Lines::Json), ("autoroute", Lines::Autoroute)];
        Ok(Self {
            url: environment.read_url()?,
            messages: match is_unlimited {
                true => None,
                false => Some(environment.read_count("MESSAGES", None)?),
            },
            connections: environment.read_count("CONNECTIONS", Some(1))?,
            lines: match feed {
                Some(_) => Lines::Json,
                None => environment.read_choice("LINES", &choices)?,
            },
            feed,
        })
    }
}

impl EchoSettings {
    pub fn read(environment: &Environment) -> Result<Self, String> {
        let payload = environment.get("PAYLOAD");
        Ok(Self {
            url: environment.read_url()?,
            connections: environment.read_count("CONNECTIONS", Some(1))?,
            payload: payload.unwrap_or_else(|| "hello world".to_owned()),
            warm_up_ns: environment.read_duration_ns("WARM_UP_S", Some(0))?,
            window_ns: environment.read_time_ns("WINDOW_S")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SECOND_NS;
    use crate::feed::{Encoding, Kind};

    type Reader<T> = fn(&Environment) -> Result<T, String>;

    const RECEIVE: &[(&str, &str)] = &[("URL", "ws://127.0.0.1:8008/5"), ("MESSAGES", "5")];
    const ECHO: &[(&str, &str)] = &[("URL", "ws://127.0.0.1:8008/echo"), ("WINDOW_S", "2")];

    /// Reads a complete environment with `changes`; `None` removes a variable.
    fn read_with<T>(
        read: Reader<T>,
        complete: &[(&str, &str)],
        changes: &[(&str, Option<&str>)],
    ) -> Result<T, String> {
        let look_up = |name: &str| {
            let given = complete.iter().find(|(given, _)| *given == name);
            let changed = changes.iter().find(|(changed, _)| *changed == name);
            let value = changed.map_or(given.map(|&(_, value)| value), |&(_, value)| value);
            value.map(str::to_owned)
        };
        read(&Environment::new(&look_up))
    }

    fn expect_named<T>(read: Reader<T>, complete: &[(&str, &str)], cases: &[(&str, Option<&str>)]) {
        for &(name, value) in cases {
            let Err(error) = read_with(read, complete, &[(name, value)]) else {
                panic!("{name} {value:?} is taken");
            };
            assert!(error.starts_with(&format!("{name} is ")), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn the_settings_of_a_receiver_are_read_and_have_defaults() {
        let mut expected = Settings {
            url: "ws://127.0.0.1:8008/5".to_owned(),
            messages: Some(5),
            connections: 1,
            lines: Lines::Json,
            feed: None,
        };
        assert_eq!(read_with(Settings::read, RECEIVE, &[]).unwrap(), expected);
        let changes = [("CONNECTIONS", Some("3")), ("LINES", Some("autoroute"))];
        expected.connections = 3;
        expected.lines = Lines::Autoroute;
        let read = read_with(Settings::read, RECEIVE, &changes).unwrap();
        assert_eq!(read, expected);
    }

    #[test]
    fn a_feed_ends_when_the_server_closes_and_has_lines_of_json() {
        let changes = [
            ("FEED", Some("stocks")),
            ("ENCODING", Some("binary")),
            ("LINES", Some("autoroute")),
            ("MESSAGES", None),
        ];
        let read = read_with(Settings::read, RECEIVE, &changes).unwrap();
        let feed = FeedFormat::new(Kind::Stocks, Encoding::Binary);
        assert_eq!(read.feed, Some(feed));
        assert_eq!((read.messages, read.lines), (None, Lines::Json));
    }

    #[test]
    fn a_variable_that_is_missing_or_malformed_is_named() {
        let cases = [
            ("URL", None),
            ("URL", Some("")),
            ("URL", Some("http://host/")),
            ("URL", Some("ws://")),
            ("URL", Some("wss:///5")),
            ("MESSAGES", None),
            ("MESSAGES", Some("")),
            ("MESSAGES", Some("0")),
            ("MESSAGES", Some("-1")),
            ("MESSAGES", Some("+1")),
            ("MESSAGES", Some("1e6")),
            ("MESSAGES", Some("5 ")),
            ("MESSAGES", Some("1000000000000000")),
            ("CONNECTIONS", Some("0")),
            ("CONNECTIONS", Some("many")),
            ("LINES", Some("JSON")),
            ("FEED", Some("weather")),
        ];
        expect_named(Settings::read, RECEIVE, &cases);
    }

    #[test]
    fn the_workload_is_one_of_two() {
        for (value, expected) in [
            (None, Workload::Receive),
            (Some("receive"), Workload::Receive),
            (Some("echo"), Workload::Echo),
        ] {
            let read = read_with(Workload::read, &[], &[("WORKLOAD", value)]);
            assert_eq!(read, Ok(expected));
        }
        expect_named(Workload::read, &[], &[("WORKLOAD", Some("sing"))]);
    }

    #[test]
    fn the_settings_of_an_exchange_are_read_and_have_defaults() {
        let expected = EchoSettings {
            url: "ws://127.0.0.1:8008/echo".to_owned(),
            connections: 1,
            payload: "hello world".to_owned(),
            warm_up_ns: 0,
            window_ns: 2 * SECOND_NS,
        };
        assert_eq!(read_with(EchoSettings::read, ECHO, &[]).unwrap(), expected);
        let changes = [
            ("CONNECTIONS", Some("3")),
            ("PAYLOAD", Some("grüezi")),
            ("WARM_UP_S", Some("0.5")),
            ("WINDOW_S", Some("1.000000001")),
        ];
        let read = read_with(EchoSettings::read, ECHO, &changes).unwrap();
        assert_eq!((read.connections, read.payload.as_str()), (3, "grüezi"));
        assert_eq!(
            (read.warm_up_ns, read.window_ns),
            (500_000_000, 1_000_000_001)
        );
    }

    #[test]
    fn a_variable_of_an_exchange_that_is_missing_or_malformed_is_named() {
        let cases = [
            ("URL", Some("http://host/")),
            ("CONNECTIONS", Some("0")),
            ("WARM_UP_S", Some("-1")),
            ("WARM_UP_S", Some("1e3")),
            ("WARM_UP_S", Some("")),
            ("WARM_UP_S", Some("1.")),
            ("WINDOW_S", None),
            ("WINDOW_S", Some("0")),
            ("WINDOW_S", Some("0.0")),
            ("WINDOW_S", Some("nan")),
            ("WINDOW_S", Some("1000000")),
            ("WINDOW_S", Some("1.0000000001")),
        ];
        expect_named(EchoSettings::read, ECHO, &cases);
    }
}
