//! Missing metrics, each of which is reported once until it is available again.

use std::collections::{BTreeMap, BTreeSet};

/// The names of missing metrics that were reported.
#[derive(Debug, Default)]
pub struct MissingReports(BTreeSet<String>);

impl MissingReports {
    /// Returns the entries of `missing` that the sample before did not lack.
    ///
    /// `is_sampled` returns whether this sample includes a name; names that it does not include
    /// remain as they were.
    pub fn newly_missing(
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

    fn names(reports: &mut MissingReports, missing: &[&str], examined: &str) -> Vec<String> {
        let reason = |name: &&str| ((*name).to_owned(), "why".to_owned());
        let missing = missing.iter().map(reason).collect();
        let newly_missing = reports.newly_missing(missing, |name| name.starts_with(examined));
        newly_missing.into_keys().collect()
    }

    #[test]
    fn a_missing_metric_is_reported_once_until_it_is_available_again() {
        let mut reports = MissingReports::default();
        assert_eq!(names(&mut reports, &["host"], ""), ["host"]);
        assert_eq!(names(&mut reports, &["host", "sockets"], ""), ["sockets"]);
        assert!(names(&mut reports, &["sockets"], "").is_empty());
        assert_eq!(names(&mut reports, &["host", "sockets"], ""), ["host"]);
    }

    #[test]
    fn a_metric_that_is_not_sampled_remains_as_it_was() {
        let mut reports = MissingReports::default();
        names(&mut reports, &["sockets"], "");
        assert!(names(&mut reports, &[], "host").is_empty());
        assert!(names(&mut reports, &["sockets"], "").is_empty());
    }
}
