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
                // Rust accepts a sign.
                let digits = Some(value).filter(|value| !value.starts_with('+'));
                let count = digits.and_then(|value| value.parse().ok());
                let count = count.filter(|count| (1..=max).contains(count));
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
