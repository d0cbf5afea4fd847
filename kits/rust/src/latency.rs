//! Latencies as counts of rounded nanoseconds: `docs/contract.md`, clause 7.5.

use std::collections::BTreeMap;

/// Number of messages per rounded latency.
#[derive(Debug, Default)]
pub struct Latencies(BTreeMap<u64, u64>);

impl Latencies {
    pub fn record(&mut self, latency_ns: u64) {
        *self.0.entry(round_latency(latency_ns)).or_default() += 1;
    }

    /// Adds the counts of another object.
    pub fn merge(&mut self, other: &Self) {
        for (&latency_ns, count) in &other.0 {
            *self.0.entry(latency_ns).or_default() += count;
        }
    }

    /// Returns the counts by latency as a JSON object.
    pub fn to_json(&self) -> String {
        let counts = self.0.iter();
        let pairs: Vec<_> = counts
            .map(|(ns, count)| format!(r#""{ns}":{count}"#))
            .collect();
        format!("{{{}}}", pairs.join(","))
    }
}

/// Rounds to three significant digits; a half is rounded up.
pub fn round_latency(latency_ns: u64) -> u64 {
    let mut unit = 1;
    while latency_ns / unit >= 1000 {
        unit *= 10;
    }
    (latency_ns + unit / 2) / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_counted_rounded_and_merged() {
        let mut latencies = Latencies::default();
        latencies.record(51_249);
        let mut others = Latencies::default();
        others.record(51_151);
        others.record(7);
        latencies.merge(&others);
        assert_eq!(latencies.to_json(), r#"{"7":1,"51200":2}"#);
        assert_eq!(Latencies::default().to_json(), "{}");
    }
}
