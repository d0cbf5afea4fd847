//! Counts a client's echoes and prints its result line: `docs/contract.md`, section 5.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::clock::monotonic_ns;
use crate::fail;
use crate::feed::Received;
use crate::settings::EchoSettings;
use crate::variables::read_or_exit;

/// Counts the echoes of all connections of a client.
pub struct Exchanger {
    settings: EchoSettings,
    clock: fn() -> u64,
    opened: AtomicU64,
    echoed: AtomicU64,
    wrong: AtomicU64,
    /// Start of the window, in nanoseconds; unset until the last connection is open.
    begins_ns: OnceLock<u64>,
}

/// Counts the echoes of one connection. It must be dropped before the exchanger finishes.
pub struct Exchange<'a> {
    exchanger: &'a Exchanger,
    echoed: u64,
    wrong: u64,
}

impl Exchanger {
    /// Creates the exchanger that the environment variables describe, or ends the program. It lives
    /// as long as the program.
    #[must_use]
    pub fn from_environment() -> &'static Self {
        let settings = read_or_exit(EchoSettings::read);
        Box::leak(Box::new(Self::new(settings, monotonic_ns)))
    }

    fn new(settings: EchoSettings, clock: fn() -> u64) -> Self {
        Self {
            settings,
            clock,
            opened: AtomicU64::new(0),
            echoed: AtomicU64::new(0),
            wrong: AtomicU64::new(0),
            begins_ns: OnceLock::new(),
        }
    }

    /// Returns the server's address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.settings.url
    }

    /// Returns the number of connections to open.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.settings.connections
    }

    /// Returns the text to send.
    #[must_use]
    pub fn payload(&self) -> &str {
        &self.settings.payload
    }

    /// Registers an open connection. Call this as soon as the library reports that it is open.
    #[must_use]
    pub fn opened(&self) -> Exchange<'_> {
        if self.opened.fetch_add(1, Relaxed) + 1 == self.settings.connections {
            let begins_ns = (self.clock)() + self.settings.warm_up_ns;
            self.begins_ns.get_or_init(|| begins_ns);
        }
        Exchange {
            exchanger: self,
            echoed: 0,
            wrong: 0,
        }
    }

    /// Returns whether an answer received at this instant is counted, and whether the exchange
    /// continues.
    fn phase(&self) -> (bool, bool) {
        let Some(&begins_ns) = self.begins_ns.get() else {
            return (false, true);
        };
        // Reading the clock is cheap compared with an echo.
        match (self.clock)().checked_sub(begins_ns) {
            None => (false, true),
            Some(elapsed_ns) => {
                let is_within = elapsed_ns < self.settings.window_ns;
                (is_within, is_within)
            }
        }
    }

    /// Prints the result line. Call this last, when all connections are closed.
    pub fn finish(&self) {
        self.print_result(io::stdout())
            .unwrap_or_else(|error| fail(1, &error));
    }

    fn print_result(&self, mut output: impl Write) -> io::Result<()> {
        let connections = self.opened.load(Relaxed);
        let echoed = self.echoed.load(Relaxed);
        let wrong = self.wrong.load(Relaxed);
        let window_ns = self.settings.window_ns;
        writeln!(
            output,
            r#"{{"event":"result","connections":{connections},"echoed":{echoed},"wrong":{wrong},"window_ns":{window_ns}}}"#
        )?;
        output.flush()
    }
}

impl Exchange<'_> {
    /// Counts one answer. Returns whether to send the next message; if not, close the connection.
    pub fn answered(&mut self, answer: Received) -> bool {
        let (is_counted, is_ongoing) = self.exchanger.phase();
        if answer.text() != Some(self.exchanger.payload()) {
            self.wrong += 1;
        } else if is_counted {
            self.echoed += 1;
        }
        is_ongoing
    }
}

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        self.exchanger.echoed.fetch_add(self.echoed, Relaxed);
        self.exchanger.wrong.fetch_add(self.wrong, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const OPENED_NS: u64 = 81_000_000_000;
    const WARM_UP_NS: u64 = 500;
    const WINDOW_NS: u64 = 2_000;
    const WINDOW_AT_NS: u64 = OPENED_NS + WARM_UP_NS;

    thread_local! {
        static NOW_NS: Cell<u64> = const { Cell::new(0) };
    }

    /// An exchanger with a manual clock.
    fn exchanger(connections: u64) -> Exchanger {
        let settings = EchoSettings {
            url: "ws://host/echo".to_owned(),
            connections,
            payload: "grüezi".to_owned(),
            warm_up_ns: WARM_UP_NS,
            window_ns: WINDOW_NS,
        };
        NOW_NS.set(OPENED_NS);
        Exchanger::new(settings, || NOW_NS.get())
    }

    fn answer_at(now_ns: u64, exchange: &mut Exchange, answer: &str) -> bool {
        NOW_NS.set(now_ns);
        exchange.answered(Received::Text(answer))
    }

    fn result(exchanger: &Exchanger) -> String {
        let mut output = Vec::new();
        exchanger.print_result(&mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    fn line(connections: u64, echoed: u64, wrong: u64) -> String {
        format!(
            r#"{{"event":"result","connections":{connections},"echoed":{echoed},"wrong":{wrong},"window_ns":2000}}"#
        ) + "\n"
    }

    #[test]
    fn counts_answers_in_the_window_and_ends_after_it() {
        for (at_ns, echoed, is_ongoing) in [
            (OPENED_NS, 0, true),
            (WINDOW_AT_NS - 1, 0, true),
            (WINDOW_AT_NS, 1, true),
            (WINDOW_AT_NS + WINDOW_NS - 1, 1, true),
            (WINDOW_AT_NS + WINDOW_NS, 0, false),
        ] {
            let exchanger = exchanger(1);
            let mut exchange = exchanger.opened();
            assert_eq!(
                answer_at(at_ns, &mut exchange, "grüezi"),
                is_ongoing,
                "{at_ns}"
            );
            drop(exchange);
            assert_eq!(result(&exchanger), line(1, echoed, 0), "{at_ns}");
        }
    }

    #[test]
    fn another_content_or_type_is_wrong_and_not_echoed() {
        let texts = ["", "grüezj", "grüezi "].map(Received::Text);
        for answer in texts
            .into_iter()
            .chain([Received::Binary("grüezi".as_bytes())])
        {
            let exchanger = exchanger(1);
            let mut exchange = exchanger.opened();
            NOW_NS.set(WINDOW_AT_NS);
            assert!(exchange.answered(answer));
            drop(exchange);
            assert_eq!(result(&exchanger), line(1, 0, 1), "{answer:?}");
        }
    }

    #[test]
    fn a_wrong_answer_is_counted_at_any_time() {
        let exchanger = exchanger(1);
        let mut exchange = exchanger.opened();
        answer_at(OPENED_NS, &mut exchange, "other");
        assert!(!answer_at(WINDOW_AT_NS + WINDOW_NS, &mut exchange, "other"));
        drop(exchange);
        assert_eq!(result(&exchanger), line(1, 0, 2));
    }

    #[test]
    fn the_warm_up_begins_when_the_last_connection_is_open() {
        let exchanger = exchanger(2);
        let mut first = exchanger.opened();
        let late_ns = OPENED_NS + 10 * WINDOW_NS;
        assert!(answer_at(late_ns, &mut first, "grüezi"));
        let mut second = exchanger.opened();
        assert!(answer_at(late_ns + WARM_UP_NS - 1, &mut first, "grüezi"));
        for exchange in [&mut first, &mut second] {
            assert!(answer_at(late_ns + WARM_UP_NS, exchange, "grüezi"));
        }
        drop((first, second));
        assert_eq!(result(&exchanger), line(2, 2, 0));
    }
}
