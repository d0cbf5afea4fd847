//! What has been said to be missing: once, until it is there again.

use std::collections::{BTreeMap, BTreeSet};

/// The names of what is missing by now.
#[derive(Debug, Default)]
pub struct Reported(BTreeSet<String>);

impl Reported {
    /// Of what one sample lacks, what the sample before it did not lack; `is_sampled` says of which
    /// names the sample was.
    pub fn news(
        &mut self,
        missing: BTreeMap<String, String>,
        is_sampled: impl Fn(&str) -> bool,
    ) -> BTreeMap<String, String> {
        self.0
            .retain(|name| missing.contains_key(name) || !is_sampled(name));
        missing
            .into_iter()
            .filter(|(name, _)| self.0.insert(name.clone()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(reported: &mut Reported, missing: &[&str], examined: &str) -> Vec<String> {
        let why = |name: &&str| ((*name).to_owned(), "why".to_owned());
        let missing = missing.iter().map(why).collect();
        let news = reported.news(missing, |name| name.starts_with(examined));
        news.into_keys().collect()
    }

    #[test]
    fn what_is_missing_is_said_once_until_it_is_there_again() {
        let mut reported = Reported::default();
        assert_eq!(names(&mut reported, &["host"], ""), ["host"]);
        assert_eq!(names(&mut reported, &["host", "sockets"], ""), ["sockets"]);
        assert!(names(&mut reported, &["sockets"], "").is_empty());
        assert_eq!(names(&mut reported, &["host", "sockets"], ""), ["host"]);
    }

    #[test]
    fn what_is_not_sampled_stays_as_it_was() {
        let mut reported = Reported::default();
        names(&mut reported, &["sockets"], "");
        assert!(names(&mut reported, &[], "host").is_empty());
        assert!(names(&mut reported, &["sockets"], "").is_empty());
    }
}
