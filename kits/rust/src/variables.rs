//! Reads and validates single environment variables.

use std::env;
use std::path::PathBuf;

use crate::fail;

/// The process's environment, or that of a test. Errors are one line that names the variable.
pub struct Environment<'a>(&'a dyn Fn(&str) -> Option<String>);

impl<'a> Environment<'a> {
    pub fn new(look_up: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self(look_up)
    }

    pub fn get(&self, name: &str) -> Option<String> {
        (self.0)(name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Reads a required variable; `remedy` is what to set it to.
    pub fn read(&self, name: &str, remedy: &str) -> Result<String, String> {
        self.get(name)
            .ok_or_else(|| format!("{name} is not set: give {remedy}"))
    }

    /// Reads `URL`, the server's address.
    pub fn read_url(&self) -> Result<String, String> {
        let remedy = "an address such as ws://127.0.0.1:8008/1000";
        let url = self.read("URL", remedy)?;
        let host = url
            .strip_prefix("ws://")
            .or_else(|| url.strip_prefix("wss://"));
        if host.is_none_or(|host| host.is_empty() || host.starts_with('/')) {
            return Err(format!("URL is {url:?}: give {remedy}"));
        }
        Ok(url)
    }

    /// Reads a whole number of at least 1.
    pub fn read_count(&self, name: &str, default: Option<u64>) -> Result<u64, String> {
        let remedy = "a whole number from 1";
        let value = match (self.get(name), default) {
            (None, Some(default)) => return Ok(default),
            (None, None) => return Err(format!("{name} is not set: give {remedy}")),
            (Some(value), _) => value,
        };
        let is_number = !value.starts_with('0') && is_digits(&value, 15);
        let count = is_number.then(|| value.parse().ok()).flatten();
        count.ok_or_else(|| format!("{name} is {value:?}: give {remedy}"))
    }

    /// Reads a number of seconds with at most six digits before the point and nine after it;
    /// returns nanoseconds.
    pub fn read_duration_ns(&self, name: &str, default_ns: Option<u64>) -> Result<u64, String> {
        let remedy = "seconds such as 2 or 0.5";
        match (self.get(name), default_ns) {
            (None, Some(default_ns)) => Ok(default_ns),
            (None, None) => Err(format!("{name} is not set: give {remedy}")),
            (Some(value), _) => read_decimal(&value, 6, 9)
                .ok_or_else(|| format!("{name} is {value:?}: give {remedy}")),
        }
    }

    /// Reads a number of seconds greater than 0; returns nanoseconds.
    pub fn read_time_ns(&self, name: &str) -> Result<u64, String> {
        match self.read_duration_ns(name, None)? {
            0 => Err(format!("{name} is 0: give more, or nothing counts")),
            time_ns => Ok(time_ns),
        }
    }

    /// Reads `EVERY_MS`, the interval of a schedule; returns nanoseconds.
    pub fn read_interval_ns(&self) -> Result<u64, String> {
        let remedy = "milliseconds such as 50 or 0.5";
        let value = self.read("EVERY_MS", remedy)?;
        read_decimal(&value, 7, 6)
            .filter(|&every_ns| every_ns > 0)
            .ok_or_else(|| format!("EVERY_MS is {value:?}: give {remedy}"))
    }

    /// Reads a variable with a fixed set of values; the first one is the default.
    pub fn read_choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<T, String> {
        let Some(value) = self.get(name) else {
            return Ok(choices[0].1);
        };
        let chosen = choices.iter().find(|(choice, _)| *choice == value);
        chosen.map(|&(_, meaning)| meaning).ok_or_else(|| {
            let names = choices.iter().map(|(choice, _)| *choice);
            let names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
            format!("{name} is {value:?}: give {}", names.join(" or "))
        })
    }

    /// Reads the path of a file.
    pub fn read_file(&self, name: &str) -> Result<PathBuf, String> {
        self.read(name, "the name of a file").map(PathBuf::from)
    }
}

/// Reads settings; if a variable is wrong, ends the program with status 2 and the reason.
pub fn read_or_exit<T>(read: impl FnOnce(&Environment) -> Result<T, String>) -> T {
    let look_up = |name: &str| Some(env::var_os(name)?.to_string_lossy().into_owned());
    read(&Environment::new(&look_up)).unwrap_or_else(|reason| fail(2, &reason))
}

/// Parses a decimal number and returns it in units of its last fraction digit.
fn read_decimal(value: &str, whole_digits_max: usize, fraction_digits: usize) -> Option<u64> {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, "0"));
    if !is_digits(whole, whole_digits_max) || !is_digits(fraction, fraction_digits) {
        return None;
    }
    format!("{whole}{fraction:0<fraction_digits$}").parse().ok()
}

fn is_digits(value: &str, length_max: usize) -> bool {
    (1..=length_max).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit())
}
