//! What has been said to be missing: once, until it is there again.

use std::collections::{BTreeMap, BTreeSet};

/// The names of what is missing by now.
#[derive(Debug, Default)]
pub struct Told(BTreeSet<String>);

impl Told {
    /// Of what one look lacks, what the look before it did not lack; `is_looked_at` says of which
    /// names the look was.
    pub fn news(
        &mut self,
        missing: BTreeMap<String, String>,
        is_looked_at: impl Fn(&str) -> bool,
    ) -> BTreeMap<String, String> {
        self.0
            .retain(|name| missing.contains_key(name) || !is_looked_at(name));
        missing
            .into_iter()
            .filter(|(name, _)| self.0.insert(name.clone()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(told: &mut Told, missing: &[&str], looked_at: &str) -> Vec<String> {
        let why = |name: &&str| ((*name).to_owned(), "why".to_owned());
        let missing = missing.iter().map(why).collect();
        let news = told.news(missing, |name| name.starts_with(looked_at));
        news.into_keys().collect()
    }

    #[test]
    fn what_is_missing_is_said_once_until_it_is_there_again() {
        let mut told = Told::default();
        assert_eq!(names(&mut told, &["host"], ""), ["host"]);
        assert_eq!(names(&mut told, &["host", "sockets"], ""), ["sockets"]);
        assert!(names(&mut told, &["sockets"], "").is_empty());
        assert_eq!(names(&mut told, &["host", "sockets"], ""), ["host"]);
    }

    #[test]
    fn what_is_not_looked_at_is_as_it_was() {
        let mut told = Told::default();
        names(&mut told, &["sockets"], "");
        assert!(names(&mut told, &[], "host").is_empty());
        assert!(names(&mut told, &["sockets"], "").is_empty());
    }
}
