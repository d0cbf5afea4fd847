//! Formats the lines that programs print: `docs/contract.md`, clauses 3.2, 3.3 and 7.6, and section
//! 4.

use std::io::{self, Write};

use crate::latency::Latencies;
use crate::sequence::Verdicts;
use crate::settings::Lines;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    pub messages: u64,
    pub bytes: u64,
}

impl Totals {
    pub fn to_json(self) -> String {
        let Self { messages, bytes } = self;
        format!(r#""messages":{messages},"bytes":{bytes}"#)
    }

    pub fn since(self, earlier: Self) -> Self {
        Self {
            messages: self.messages - earlier.messages,
            bytes: self.bytes - earlier.bytes,
        }
    }
}

/// The findings of a feed; `None` if its messages do not contain the value.
#[derive(Debug, Default)]
pub struct Findings {
    pub wrong: u64,
    pub verdicts: Option<Verdicts>,
    pub latencies: Option<Latencies>,
}

impl Findings {
    fn to_json(&self) -> String {
        let null = || "null".to_owned();
        let wrong = self.wrong;
        let sequence = self.verdicts.map_or_else(null, Verdicts::to_json);
        let latencies = self
            .latencies
            .as_ref()
            .map_or_else(null, Latencies::to_json);
        format!(r#""wrong":{wrong},"sequence":{sequence},"latency_ns":{latencies}"#)
    }
}

#[derive(Debug)]
pub struct Outcome {
    pub connections: usize,
    pub totals: Totals,
    pub opened_ns: u64,
    pub received_ns: u64,
    pub findings: Option<Findings>,
}

/// Returns the line of one second; `arrived` is the JSON of its counts.
pub fn second_line(second: u64, arrived: &str) -> String {
    format!(r#"{{"event":"second","second":{second},{arrived}}}"#)
}

/// Prints the lines of a client that receives.
pub struct Report<W> {
    lines: Lines,
    has_bytes: bool,
    name: String,
    output: W,
    printed: Totals,
    seconds: u64,
}

impl<W: Write> Report<W> {
    /// If `has_bytes` is false, bytes were not counted and are omitted.
    pub fn new(lines: Lines, has_bytes: bool, name: String, output: W) -> Self {
        Self {
            lines,
            has_bytes,
            name,
            output,
            printed: Totals::default(),
            seconds: 0,
        }
    }

    pub fn seconds_printed(&self) -> u64 {
        self.seconds
    }

    /// Prints what arrived since the last call; `totals` counts from the opening.
    pub fn print_second(&mut self, totals: Totals) -> io::Result<()> {
        let arrived = totals.since(self.printed);
        let line = match self.lines {
            Lines::Json => second_line(self.seconds, &self.counts(arrived)),
            Lines::Autoroute => format!("messages received per second: {}", arrived.messages),
        };
        self.printed = totals;
        self.seconds += 1;
        self.print(&line)
    }

    pub fn print_result(&mut self, outcome: &Outcome) -> io::Result<()> {
        let Outcome {
            connections,
            totals,
            opened_ns,
            received_ns,
            findings,
        } = outcome;
        let line = match self.lines {
            Lines::Json => {
                let counts = self.counts(*totals);
                let findings = findings.as_ref().map(Findings::to_json);
                let further = findings.map_or(String::new(), |findings| format!(",{findings}"));
                format!(
                    r#"{{"event":"result","connections":{connections},{counts},"opened_ns":{opened_ns},"received_ns":{received_ns}{further}}}"#
                )
            }
            Lines::Autoroute => {
                let milliseconds = (received_ns - opened_ns + 500_000) / 1_000_000;
                format!("AUTOROUTE {} :: {milliseconds} ms", self.name)
            }
        };
        self.print(&line)
    }

    fn counts(&self, totals: Totals) -> String {
        match self.has_bytes {
            true => totals.to_json(),
            false => format!(r#""messages":{}"#, totals.messages),
        }
    }

    fn print(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")?;
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOTALS: Totals = Totals {
        messages: 212_345,
        bytes: 2_335_795,
    };

    fn outcome(duration_ns: u64) -> Outcome {
        Outcome {
            connections: 1,
            totals: Totals {
                messages: 1_000_000,
                bytes: 11_000_000,
            },
            opened_ns: 81_000_000_000,
            received_ns: 81_000_000_000 + duration_ns,
            findings: None,
        }
    }

    fn report(lines: Lines) -> Report<Vec<u8>> {
        Report::new(lines, true, "rust-library".to_owned(), Vec::new())
    }

    fn printed(report: Report<Vec<u8>>) -> String {
        String::from_utf8(report.output).unwrap()
    }

    #[test]
    fn prints_the_lines_of_the_contract() {
        let mut report = report(Lines::Json);
        report.print_second(TOTALS).unwrap();
        report.print_second(TOTALS).unwrap();
        report.print_result(&outcome(2_830_000_000)).unwrap();
        let expected = concat!(
            r#"{"event":"second","second":0,"messages":212345,"bytes":2335795}"#,
            "\n",
            r#"{"event":"second","second":1,"messages":0,"bytes":0}"#,
            "\n",
            r#"{"event":"result","connections":1,"messages":1000000,"bytes":11000000,"#,
            r#""opened_ns":81000000000,"received_ns":83830000000}"#,
            "\n"
        );
        assert_eq!(printed(report), expected);
    }

    #[test]
    fn bytes_that_were_not_counted_are_omitted() {
        let mut report = Report::new(Lines::Json, false, "rust-library".to_owned(), Vec::new());
        report.print_second(TOTALS).unwrap();
        report.print_result(&outcome(0)).unwrap();
        let expected = concat!(
            r#"{"event":"second","second":0,"messages":212345}"#,
            "\n",
            r#"{"event":"result","connections":1,"messages":1000000,"#,
            r#""opened_ns":81000000000,"received_ns":81000000000}"#,
            "\n"
        );
        assert_eq!(printed(report), expected);
    }

    #[test]
    fn a_result_of_a_feed_has_three_more_keys() {
        let mut latencies = Latencies::default();
        latencies.record(51_234);
        let verdicts = Verdicts {
            in_order: 2,
            gaps: 1,
            missing: 4,
            ..Verdicts::default()
        };
        for (verdicts, latencies, expected) in [
            (
                Some(verdicts),
                Some(latencies),
                concat!(
                    r#","wrong":3,"sequence":{"in_order":2,"gaps":1,"missing":4,"duplicates":0,"#,
                    r#""reordered":0,"unexpected":0},"latency_ns":{"51200":1}}"#,
                ),
            ),
            (
                None,
                None,
                r#","wrong":3,"sequence":null,"latency_ns":null}"#,
            ),
        ] {
            let mut outcome = outcome(0);
            outcome.findings = Some(Findings {
                wrong: 3,
                verdicts,
                latencies,
            });
            let mut report = report(Lines::Json);
            report.print_result(&outcome).unwrap();
            assert!(printed(report).ends_with(&format!("{expected}\n")));
        }
    }

    #[test]
    fn prints_the_lines_of_the_original_race() {
        let mut report = report(Lines::Autoroute);
        report.print_second(TOTALS).unwrap();
        report.print_result(&outcome(2_830_000_000)).unwrap();
        let expected = "messages received per second: 212345\nAUTOROUTE rust-library :: 2830 ms\n";
        assert_eq!(printed(report), expected);
    }

    #[test]
    fn milliseconds_are_rounded_to_the_nearest() {
        for (nanoseconds, expected) in [(499_999, "0"), (500_000, "1"), (1_499_999, "1")] {
            let mut report = report(Lines::Autoroute);
            report.print_result(&outcome(nanoseconds)).unwrap();
            assert!(printed(report).ends_with(&format!(":: {expected} ms\n")));
        }
    }
}
