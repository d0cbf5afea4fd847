//! The lines a client prints: `docs/contract.md`, sections 3.2, 3.3 and 4.

use std::io::{self, Write};

use crate::settings::Lines;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    pub messages: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    pub connections: usize,
    pub totals: Totals,
    pub opened_ns: u64,
    pub received_ns: u64,
}

/// Prints a client's lines.
pub struct Report<W> {
    pub lines: Lines,
    pub name: String,
    pub output: W,
    printed: Totals,
    second: u64,
}

impl<W: Write> Report<W> {
    pub fn new(lines: Lines, name: String, output: W) -> Self {
        Self {
            lines,
            name,
            output,
            printed: Totals::default(),
            second: 0,
        }
    }

    pub fn seconds_printed(&self) -> u64 {
        self.second
    }

    /// Prints what arrived since the last call; `totals` counts from the opening.
    pub fn print_second(&mut self, totals: Totals) -> io::Result<()> {
        let messages = totals.messages - self.printed.messages;
        let bytes = totals.bytes - self.printed.bytes;
        let second = self.second;
        self.printed = totals;
        self.second += 1;
        match self.lines {
            Lines::Json => writeln!(
                self.output,
                r#"{{"event":"second","second":{second},"messages":{messages},"bytes":{bytes}}}"#
            )?,
            Lines::Autoroute => {
                writeln!(self.output, "messages received per second: {messages}")?;
            }
        }
        self.output.flush()
    }

    pub fn print_result(&mut self, outcome: Outcome) -> io::Result<()> {
        let Outcome {
            connections,
            totals: Totals { messages, bytes },
            opened_ns,
            received_ns,
        } = outcome;
        match self.lines {
            Lines::Json => {
                write!(
                    self.output,
                    r#"{{"event":"result","connections":{connections},"messages":{messages},"#
                )?;
                writeln!(
                    self.output,
                    r#""bytes":{bytes},"opened_ns":{opened_ns},"received_ns":{received_ns}}}"#
                )?;
            }
            Lines::Autoroute => {
                let milliseconds = (received_ns - opened_ns + 500_000) / 1_000_000;
                writeln!(self.output, "AUTOROUTE {} :: {milliseconds} ms", self.name)?;
            }
        }
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
    const OUTCOME: Outcome = Outcome {
        connections: 1,
        totals: Totals {
            messages: 1_000_000,
            bytes: 11_000_000,
        },
        opened_ns: 81_000_000_000,
        received_ns: 83_830_000_000,
    };

    fn report(lines: Lines) -> Report<Vec<u8>> {
        Report::new(lines, "rust-library".to_owned(), Vec::new())
    }

    #[test]
    fn prints_the_lines_of_the_contract() {
        let mut report = report(Lines::Json);
        report.print_second(TOTALS).unwrap();
        report.print_second(TOTALS).unwrap();
        report.print_result(OUTCOME).unwrap();
        let expected = concat!(
            r#"{"event":"second","second":0,"messages":212345,"bytes":2335795}"#,
            "\n",
            r#"{"event":"second","second":1,"messages":0,"bytes":0}"#,
            "\n",
            r#"{"event":"result","connections":1,"messages":1000000,"bytes":11000000,"#,
            r#""opened_ns":81000000000,"received_ns":83830000000}"#,
            "\n"
        );
        assert_eq!(String::from_utf8(report.output).unwrap(), expected);
    }

    #[test]
    fn prints_the_lines_of_the_original_race() {
        let mut report = report(Lines::Autoroute);
        report.print_second(TOTALS).unwrap();
        report.print_result(OUTCOME).unwrap();
        let expected = "messages received per second: 212345\nAUTOROUTE rust-library :: 2830 ms\n";
        assert_eq!(String::from_utf8(report.output).unwrap(), expected);
    }

    #[test]
    fn milliseconds_are_rounded_to_the_nearest() {
        for (nanoseconds, expected) in [(499_999, "0"), (500_000, "1"), (1_499_999, "1")] {
            let mut report = report(Lines::Autoroute);
            let outcome = Outcome {
                received_ns: OUTCOME.opened_ns + nanoseconds,
                ..OUTCOME
            };
            report.print_result(outcome).unwrap();
            let printed = String::from_utf8(report.output).unwrap();
            assert!(
                printed.ends_with(&format!(":: {expected} ms\n")),
                "{printed}"
            );
        }
    }
}
