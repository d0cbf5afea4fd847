//! Reads single environment variables. An error is one line that names the variable.

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;

use crate::fail;

/// The process's environment, or that of a test.
pub struct Variables(HashMap<String, String>);

impl Variables {
    /// Reads settings; if a variable is wrong, ends the program with status 2 and the reason.
    pub fn read_or_exit<T>(read: impl FnOnce(&Self) -> Result<T, String>) -> T {
        let text = |value: OsString| value.to_string_lossy().into_owned();
        let given = env::vars_os().map(|(name, value)| (text(name), text(value)));
        read(&Self(given.collect())).unwrap_or_else(|reason| fail(2, &reason))
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub fn required(&self, name: &str) -> Result<&str, String> {
        self.get(name).ok_or_else(|| format!("{name} is not set"))
    }

    /// Reads a whole number from 1 to `max`; without a default, it is required.
    pub fn count(&self, name: &str, default: Option<u64>, max: u64) -> Result<u64, String> {
        match (self.get(name), default) {
            (None, Some(default)) => Ok(default),
            _ => {
                let value = self.required(name)?;
                let count = value.parse().ok().filter(|count| (1..=max).contains(count));
                let remedy = || format!("{name} is {value:?}: give a whole number from 1 to {max}");
                count.ok_or_else(remedy)
            }
        }
    }

    /// Reads `URL`, the server's address.
    pub fn url(&self) -> Result<&str, String> {
        let url = self.required("URL")?;
        let schemes = ["ws://", "wss://"];
        let address = schemes.iter().find_map(|scheme| url.strip_prefix(scheme));
        if address.is_none_or(|address| address.is_empty() || address.starts_with('/')) {
            return Err(format!(
                "URL is {url:?}: give an address such as ws://host:port/path"
            ));
        }
        Ok(url)
    }
}

#[cfg(test)]
pub mod tests {
    use std::process::Command;

    use super::*;
    use crate::{Client, Server};

    /// What a client and a server require, with changes.
    pub fn given(changes: &[(&str, &str)]) -> Variables {
        let required = [("URL", "ws://host:8008/5"), ("PORT", "8008")];
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        Variables(required.iter().chain(changes).map(owned).collect())
    }

    #[test]
    fn a_wrong_value_is_named_in_one_line() {
        for (name, values) in [
            ("URL", &["", "http://host/", "ws://", "wss:///5"][..]),
            ("VERB", &["", "echo"]),
            ("CONNECTIONS", &["0", "many"]),
            ("MESSAGES", &["", "0", "-1", "1e6", "5 "]),
            ("PORT", &["0", "65536", "many"]),
        ] {
            for &value in values {
                let given = given(&[(name, value)]);
                let read = Client::read(&given).and(Server::read(&given));
                let reason = read.expect_err(name);
                let expected = format!("{name} is {value:?}: give ");
                assert!(reason.starts_with(&expected), "{reason}");
                assert_eq!(reason.lines().count(), 1);
            }
        }
    }

    /// Runs this test alone in another process, in which it is the program.
    #[test]
    fn a_wrong_environment_ends_the_program_with_status_2_and_one_line() {
        if env::var_os("IS_PROGRAM").is_some() {
            Client::from_environment();
        }
        let mut program = Command::new(env::current_exe().unwrap());
        program.args(["--nocapture", "ends_the_program"]);
        let ended = program.env("IS_PROGRAM", "").output().unwrap();
        assert_eq!(ended.status.code(), Some(2));
        assert_eq!(String::from_utf8(ended.stderr).unwrap(), "URL is not set\n");
    }
}
