//! What the environment asks of a client: `docs/contract.md`, section 3.

/// Which lines a client prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    Json,
    Autoroute,
}

/// What the environment asks of a client.
#[derive(Debug, PartialEq, Eq)]
pub struct Settings {
    pub url: String,
    pub messages: u64,
    pub connections: u64,
    pub lines: Lines,
}

impl Settings {
    /// Reads the settings from variables looked up by name.
    ///
    /// # Errors
    ///
    /// One line that names the first variable that is missing or ill-formed.
    pub fn parse(look_up: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let url = look_up("URL").ok_or("URL is not set: give the server's address")?;
        let host = url
            .strip_prefix("ws://")
            .or_else(|| url.strip_prefix("wss://"));
        if host.is_none_or(|host| host.is_empty() || host.starts_with('/')) {
            return Err(format!(
                "URL is {url:?}: give an address such as ws://host:port/path"
            ));
        }
        let messages =
            look_up("MESSAGES").ok_or("MESSAGES is not set: give how many to receive")?;
        Ok(Self {
            url,
            messages: parse_count("MESSAGES", &messages)?,
            connections: match look_up("CONNECTIONS") {
                None => 1,
                Some(connections) => parse_count("CONNECTIONS", &connections)?,
            },
            lines: match look_up("LINES").as_deref() {
                None | Some("json") => Lines::Json,
                Some("autoroute") => Lines::Autoroute,
                Some(lines) => return Err(format!("LINES is {lines:?}: give json or autoroute")),
            },
        })
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
}
