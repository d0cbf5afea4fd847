//! What the environment asks of a client: `docs/contract.md`, sections 3 and 5.

use std::time::Duration;

/// Which lines a client prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    Json,
    Autoroute,
}

/// What a client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workload {
    Receive,
    Echo,
}

/// What the environment asks of a client that receives.
#[derive(Debug, PartialEq, Eq)]
pub struct Settings {
    pub url: String,
    pub messages: u64,
    pub connections: u64,
    pub lines: Lines,
}

/// What the environment asks of a client that exchanges echoes.
#[derive(Debug, PartialEq, Eq)]
pub struct EchoSettings {
    pub url: String,
    pub connections: u64,
    pub payload: String,
    pub warm_up: Duration,
    pub window: Duration,
}

impl Workload {
    /// Reads the workload from a variable looked up by name.
    ///
    /// # Errors
    ///
    /// One line that names the variable, where it is ill-formed.
    pub fn parse(look_up: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        match look_up("WORKLOAD").as_deref() {
            None | Some("receive") => Ok(Self::Receive),
            Some("echo") => Ok(Self::Echo),
            Some(workload) => Err(format!("WORKLOAD is {workload:?}: give receive or echo")),
        }
    }
}

impl Settings {
    /// Reads the settings from variables looked up by name.
    ///
    /// # Errors
    ///
    /// One line that names the first variable that is missing or ill-formed.
    pub fn parse(look_up: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let url = parse_url(&look_up)?;
        let messages =
            look_up("MESSAGES").ok_or("MESSAGES is not set: give how many to receive")?;
        Ok(Self {
            url,
            messages: parse_count("MESSAGES", &messages)?,
            connections: parse_connections(&look_up)?,
            lines: match look_up("LINES").as_deref() {
                None | Some("json") => Lines::Json,
                Some("autoroute") => Lines::Autoroute,
                Some(lines) => return Err(format!("LINES is {lines:?}: give json or autoroute")),
            },
        })
    }
}

impl EchoSettings {
    /// Does the same for a client that exchanges echoes.
    ///
    /// # Errors
    ///
    /// One line that names the first variable that is missing or ill-formed.
    pub fn parse(look_up: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let url = parse_url(&look_up)?;
        let window_s =
            look_up("WINDOW_S").ok_or("WINDOW_S is not set: give how many seconds count")?;
        let window = parse_seconds("WINDOW_S", &window_s)?;
        if window.is_zero() {
            return Err(format!(
                "WINDOW_S is {window_s:?}: give more than 0, or nothing counts"
            ));
        }
        Ok(Self {
            url,
            connections: parse_connections(&look_up)?,
            payload: look_up("PAYLOAD").unwrap_or_else(|| "hello world".to_owned()),
            warm_up: match look_up("WARM_UP_S") {
                None => Duration::ZERO,
                Some(warm_up_s) => parse_seconds("WARM_UP_S", &warm_up_s)?,
            },
            window,
        })
    }
}

fn parse_url(look_up: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let url = look_up("URL").ok_or("URL is not set: give the server's address")?;
    let host = url
        .strip_prefix("ws://")
        .or_else(|| url.strip_prefix("wss://"));
    if host.is_none_or(|host| host.is_empty() || host.starts_with('/')) {
        return Err(format!(
            "URL is {url:?}: give an address such as ws://host:port/path"
        ));
    }
    Ok(url)
}

fn parse_connections(look_up: impl Fn(&str) -> Option<String>) -> Result<u64, String> {
    match look_up("CONNECTIONS") {
        None => Ok(1),
        Some(connections) => parse_count("CONNECTIONS", &connections),
    }
}

/// Reads a decimal number of seconds, of at most six digits before the point and nine after it.
fn parse_seconds(name: &str, value: &str) -> Result<Duration, String> {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, "0"));
    let is_number = |digits: &str, length_max: usize| {
        (1..=length_max).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parsed = (is_number(whole, 6) && is_number(fraction, 9))
        .then(|| Some((whole.parse().ok()?, format!("{fraction:0<9}").parse().ok()?)))
        .flatten();
    match parsed {
        Some((seconds, nanoseconds)) => Ok(Duration::new(seconds, nanoseconds)),
        None => Err(format!(
            "{name} is {value:?}: give seconds such as 2 or 0.5"
        )),
    }
}

fn parse_count(name: &str, value: &str) -> Result<u64, String> {
    let is_digits = value.bytes().all(|byte| byte.is_ascii_digit());
    match value.parse() {
        Ok(count) if is_digits && count > 0 => Ok(count),
        _ => Err(format!(
            "{name} is {value:?}: give a whole number greater than zero"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settings of an environment that is complete but for `changes`; `None` removes a variable.
    fn parse_with(changes: &[(&str, Option<&str>)]) -> Result<Settings, String> {
        Settings::parse(|name| {
            let change = changes.iter().find(|(changed, _)| *changed == name);
            let value = match (change, name) {
                (Some((_, value)), _) => *value,
                (None, "URL") => Some("ws://127.0.0.1:8008/5"),
                (None, "MESSAGES") => Some("5"),
                (None, _) => None,
            };
            value.map(str::to_owned)
        })
    }

    #[test]
    fn connections_and_lines_have_defaults() {
        let expected = Settings {
            url: "ws://127.0.0.1:8008/5".to_owned(),
            messages: 5,
            connections: 1,
            lines: Lines::Json,
        };
        assert_eq!(parse_with(&[]), Ok(expected));
    }

    #[test]
    fn every_setting_is_read() {
        let changes = [
            ("URL", Some("wss://host/")),
            ("MESSAGES", Some("7")),
            ("CONNECTIONS", Some("3")),
            ("LINES", Some("autoroute")),
        ];
        let expected = Settings {
            url: "wss://host/".to_owned(),
            messages: 7,
            connections: 3,
            lines: Lines::Autoroute,
        };
        assert_eq!(parse_with(&changes), Ok(expected));
    }

    #[test]
    fn a_missing_variable_is_named() {
        for name in ["URL", "MESSAGES"] {
            let error = parse_with(&[(name, None)]).unwrap_err();
            assert!(error.starts_with(&format!("{name} is not set")), "{error}");
        }
    }

    #[test]
    fn an_ill_formed_variable_is_named_with_its_value() {
        for (name, value) in [
            ("URL", ""),
            ("URL", "http://host/"),
            ("URL", "ws://"),
            ("URL", "wss:///5"),
            ("MESSAGES", ""),
            ("MESSAGES", "0"),
            ("MESSAGES", "-1"),
            ("MESSAGES", "+1"),
            ("MESSAGES", "1e6"),
            ("MESSAGES", "5 "),
            ("MESSAGES", "18446744073709551616"),
            ("CONNECTIONS", "0"),
            ("CONNECTIONS", "many"),
            ("LINES", "JSON"),
        ] {
            let error = parse_with(&[(name, Some(value))]).unwrap_err();
            assert!(
                error.starts_with(&format!("{name} is {value:?}: give ")),
                "{error}"
            );
        }
    }

    /// Settings of an exchange whose environment is complete but for `changes`.
    fn parse_echo_with(changes: &[(&str, Option<&str>)]) -> Result<EchoSettings, String> {
        EchoSettings::parse(|name| {
            let change = changes.iter().find(|(changed, _)| *changed == name);
            let value = match (change, name) {
                (Some((_, value)), _) => *value,
                (None, "URL") => Some("ws://127.0.0.1:8008/echo"),
                (None, "WINDOW_S") => Some("2"),
                (None, _) => None,
            };
            value.map(str::to_owned)
        })
    }

    #[test]
    fn receives_unless_it_is_told_to_exchange_echoes() {
        let parse = |value: Option<&str>| Workload::parse(|_| value.map(str::to_owned));
        assert_eq!(parse(None), Ok(Workload::Receive));
        assert_eq!(parse(Some("receive")), Ok(Workload::Receive));
        assert_eq!(parse(Some("echo")), Ok(Workload::Echo));
        let expected = r#"WORKLOAD is "sing": give receive or echo"#.to_owned();
        assert_eq!(parse(Some("sing")), Err(expected));
    }

    #[test]
    fn what_an_exchange_asks_for_is_read_and_has_defaults() {
        let expected = EchoSettings {
            url: "ws://127.0.0.1:8008/echo".to_owned(),
            connections: 1,
            payload: "hello world".to_owned(),
            warm_up: Duration::ZERO,
            window: Duration::from_secs(2),
        };
        assert_eq!(parse_echo_with(&[]), Ok(expected));
        let changes = [
            ("URL", Some("wss://host/")),
            ("CONNECTIONS", Some("3")),
            ("PAYLOAD", Some("grüezi")),
            ("WARM_UP_S", Some("0.5")),
            ("WINDOW_S", Some("1.000000001")),
        ];
        let expected = EchoSettings {
            url: "wss://host/".to_owned(),
            connections: 3,
            payload: "grüezi".to_owned(),
            warm_up: Duration::from_millis(500),
            window: Duration::new(1, 1),
        };
        assert_eq!(parse_echo_with(&changes), Ok(expected));
    }

    #[test]
    fn a_variable_of_an_exchange_that_is_missing_or_ill_formed_is_named() {
        for name in ["URL", "WINDOW_S"] {
            let error = parse_echo_with(&[(name, None)]).unwrap_err();
            assert!(error.starts_with(&format!("{name} is not set")), "{error}");
        }
        for (name, value) in [
            ("URL", "http://host/"),
            ("CONNECTIONS", "0"),
            ("WARM_UP_S", "-1"),
            ("WARM_UP_S", "1e3"),
            ("WARM_UP_S", ""),
            ("WARM_UP_S", "1."),
            ("WINDOW_S", "0"),
            ("WINDOW_S", "0.0"),
            ("WINDOW_S", "nan"),
            ("WINDOW_S", "1000000"),
            ("WINDOW_S", "1.0000000001"),
        ] {
            let error = parse_echo_with(&[(name, Some(value))]).unwrap_err();
            assert!(
                error.starts_with(&format!("{name} is {value:?}: give ")),
                "{error}"
            );
        }
    }
}
