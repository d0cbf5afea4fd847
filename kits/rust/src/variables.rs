//! Reads single environment variables. If one is wrong, the program ends with status 2 and one line
//! that names it.

use std::env;

use crate::fail;

pub fn get(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

pub fn required(name: &str) -> String {
    get(name).unwrap_or_else(|| fail(2, &format!("{name} is not set")))
}

/// Reads a whole number from 1 to `max`; without a default, it is required.
pub fn count(name: &str, default: Option<u64>, max: u64) -> u64 {
    match (get(name), default) {
        (None, Some(default)) => default,
        _ => {
            let value = required(name);
            // Rust accepts a sign.
            let digits = Some(&value).filter(|value| !value.starts_with('+'));
            let count = digits.and_then(|value| value.parse().ok());
            let count = count.filter(|count| (1..=max).contains(count));
            let remedy = || format!("{name} is {value:?}: give a whole number from 1 to {max}");
            count.unwrap_or_else(|| fail(2, &remedy()))
        }
    }
}

/// Reads `URL`, the server's address.
pub fn url() -> String {
    let url = required("URL");
    let schemes = ["ws://", "wss://"];
    let address = schemes.iter().find_map(|scheme| url.strip_prefix(scheme));
    if address.is_none_or(|address| address.is_empty() || address.starts_with('/')) {
        let remedy = "give an address such as ws://host:port/path";
        fail(2, &format!("URL is {url:?}: {remedy}"));
    }
    url
}
