//! Adds up the messages that a client receives: `docs/contract.md`, sections 3, 4 and 7.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::{env, thread};

use crate::clock::{SECOND_NS, duration_between, monotonic_ns};
use crate::connection::{Check, Connection, Tally, sum_up};
use crate::fail;
use crate::report::{Outcome, Report, Totals};
use crate::settings::Settings;
use crate::variables::read_or_exit;

/// Adds up the messages of all connections of a client and prints the lines.
pub struct Receiver {
    settings: Settings,
    clock: fn() -> u64,
    state: Mutex<State>,
    is_open: Condvar,
    /// Findings of ended connections in a feed.
    checks: Mutex<Vec<Check>>,
}

/// State that the connections share with the ticker.
struct State {
    report: Report<Box<dyn Write + Send>>,
    is_finished: bool,
    opened_ns: u64,
    tallies: Vec<Arc<Tally>>,
}

impl Receiver {
    /// Creates the receiver that the environment variables describe, or ends the program. It lives
    /// as long as the program and prints a line each second.
    #[must_use]
    pub fn from_environment() -> &'static Self {
        let settings = read_or_exit(Settings::read);
        // A contestant runs in its folder; the folder's name is the contestant's name.
        let folder = env::current_dir().unwrap_or_else(|error| fail(1, &error));
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let output = Box::new(io::stdout());
        let receiver = Self::new(settings, name.into_owned(), monotonic_ns, output);
        let receiver: &Self = Box::leak(Box::new(receiver));
        thread::spawn(|| receiver.print_each_second());
        receiver
    }

    fn new(
        settings: Settings,
        name: String,
        clock: fn() -> u64,
        output: Box<dyn Write + Send>,
    ) -> Self {
        let state = State {
            report: Report::new(settings.lines, settings.feed.is_some(), name, output),
            is_finished: false,
            opened_ns: 0,
            tallies: Vec::new(),
        };
        Self {
            settings,
            clock,
            state: Mutex::new(state),
            is_open: Condvar::new(),
            checks: Mutex::default(),
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

    /// Registers an open connection. Call this as soon as the library reports that it is open.
    #[must_use]
    pub fn opened(&self) -> Connection<'_> {
        let opened_ns = (self.clock)();
        let expected = self.settings.messages.unwrap_or(u64::MAX);
        let tally = Arc::default();
        let mut state = self.lock();
        if state.tallies.is_empty() {
            state.opened_ns = opened_ns;
            self.is_open.notify_all();
        }
        state.tallies.push(Arc::clone(&tally));
        drop(state);
        Connection::new(
            &self.checks,
            expected,
            self.clock,
            tally,
            self.settings.feed,
        )
    }

    /// Prints the result. Call this last, when all connections are closed.
    pub fn finish(&self) {
        let mut state = self.lock();
        let received_ns = self.end_ns(&state);
        state.print_seconds(received_ns);
        state.is_finished = true;
        let feed = self.settings.feed;
        let outcome = Outcome {
            connections: state.tallies.len(),
            totals: state.totals(),
            opened_ns: state.opened_ns,
            received_ns,
            findings: feed.map(|feed| sum_up(feed, &self.checks())),
        };
        state
            .report
            .print_result(&outcome)
            .unwrap_or_else(|error| fail(1, &error));
    }

    fn print_each_second(&self) {
        let state = self
            .is_open
            .wait_while(self.lock(), |state| state.tallies.is_empty());
        let opened_ns = state
            .expect("nobody panics while holding the lock")
            .opened_ns;
        for second in 1.. {
            let due_ns = opened_ns + second * SECOND_NS;
            thread::sleep(duration_between(monotonic_ns(), due_ns));
            self.tick();
        }
    }

    /// Prints the seconds that have ended; prints nothing after the result.
    fn tick(&self) {
        let mut state = self.lock();
        if !state.is_finished {
            let end_ns = self.end_ns(&state);
            state.print_seconds(end_ns);
        }
    }

    /// Returns the time of the last message or, if messages are missing, the present.
    ///
    /// If the server closed early, the time of its last message is unknown: reading the clock for
    /// each message would slow down all trials for the sake of failed ones.
    fn end_ns(&self, state: &State) -> u64 {
        let instants = state.tallies.iter().map(|tally| tally.received_ns());
        match instants.collect::<Option<Vec<_>>>() {
            Some(all) if all.len() as u64 == self.settings.connections => {
                all.into_iter().max().expect("one connection at least")
            }
            _ => (self.clock)(),
        }
    }

    fn checks(&self) -> MutexGuard<'_, Vec<Check>> {
        self.checks.lock().expect("nobody panics while holding it")
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nobody panics while holding the lock")
    }
}

impl State {
    fn totals(&self) -> Totals {
        let mut sum = Totals::default();
        for totals in self.tallies.iter().map(|tally| tally.totals()) {
            sum.messages += totals.messages;
            sum.bytes += totals.bytes;
        }
        sum
    }

    /// Prints a line for each second that ended by `end_ns` and has no line yet.
    fn print_seconds(&mut self, end_ns: u64) {
        while self.opened_ns + (self.report.seconds_printed() + 1) * SECOND_NS <= end_ns {
            let totals = self.totals();
            self.report
                .print_second(totals)
                .unwrap_or_else(|error| fail(1, &error));
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::feed::{Encoding, FeedFormat, Kind, Received};
    use crate::settings::Lines;

    thread_local! {
        static NOW_NS: Cell<u64> = const { Cell::new(0) };
    }

    /// Stores what is printed.
    #[derive(Clone, Default)]
    pub(crate) struct Output(Arc<Mutex<Vec<u8>>>);

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Output {
        pub(crate) fn lines(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    /// A receiver with a manual clock, which starts at 1 s.
    fn receiver(messages: u64, connections: u64, feed: Option<Kind>) -> (Receiver, Output) {
        let settings = Settings {
            url: "ws://host/".to_owned(),
            messages: Some(messages),
            connections,
            lines: Lines::Json,
            feed: feed.map(|kind| FeedFormat::new(kind, Encoding::Json)),
        };
        NOW_NS.set(SECOND_NS);
        let output = Output::default();
        let name = "rust-library".to_owned();
        let receiver = Receiver::new(settings, name, || NOW_NS.get(), Box::new(output.clone()));
        (receiver, output)
    }

    fn tick_at(now_ns: u64, receiver: &Receiver) {
        NOW_NS.set(now_ns);
        receiver.tick();
    }

    fn text(text: &str) -> Received<'_> {
        Received::Text(text)
    }

    #[test]
    fn a_second_is_what_arrived_since_the_last() {
        let (receiver, output) = receiver(10, 1, None);
        let mut connection = receiver.opened();
        connection.received(text("one"));
        connection.received(Received::Binary(b"three"));
        tick_at(1_999_999_999, &receiver);
        tick_at(2_000_000_000, &receiver);
        tick_at(3_000_000_000, &receiver);
        connection.received(text("grüezi"));
        tick_at(4_000_000_000, &receiver);
        let expected = r#"{"event":"second","second":0,"messages":2}
{"event":"second","second":1,"messages":0}
{"event":"second","second":2,"messages":1}
"#;
        assert_eq!(output.lines(), expected);
    }

    #[test]
    fn no_second_is_left_out_when_the_ticker_is_late() {
        let (receiver, output) = receiver(10, 1, None);
        receiver.opened().received(text("one"));
        tick_at(3_100_000_000, &receiver);
        let expected = r#"{"event":"second","second":0,"messages":1}
{"event":"second","second":1,"messages":0}
"#;
        assert_eq!(output.lines(), expected);
    }

    #[test]
    fn the_result_prints_the_seconds_that_the_ticker_missed() {
        let (receiver, output) = receiver(1, 1, None);
        let mut connection = receiver.opened();
        NOW_NS.set(2_500_000_000);
        assert!(connection.received(text("one")));
        NOW_NS.set(3_000_000_000);
        receiver.finish();
        let expected = r#"{"event":"second","second":0,"messages":1}
{"event":"result","connections":1,"messages":1,"opened_ns":1000000000,"received_ns":2500000000}
"#;
        assert_eq!(output.lines(), expected);
    }

    #[test]
    fn no_second_is_printed_after_the_last_message() {
        let (receiver, output) = receiver(1, 1, None);
        receiver.opened().received(text("one"));
        tick_at(2_000_000_000, &receiver);
        assert_eq!(output.lines(), "");
    }

    #[test]
    fn connections_are_added_up_from_the_first_opening_to_the_last_message() {
        let (receiver, output) = receiver(2, 2, None);
        let mut first = receiver.opened();
        NOW_NS.set(1_100_000_000);
        let mut second = receiver.opened();
        assert!(!first.received(text("one")));
        assert!(first.received(text("two")));
        tick_at(2_000_000_000, &receiver);
        second.received(text("three"));
        second.received(text("four"));
        NOW_NS.set(2_500_000_000);
        receiver.finish();
        let expected = r#"{"event":"second","second":0,"messages":2}
{"event":"result","connections":2,"messages":4,"opened_ns":1000000000,"received_ns":2000000000}
"#;
        assert_eq!(output.lines(), expected);
    }

    #[test]
    fn a_server_that_closes_early_leaves_a_result_and_nothing_after_it() {
        let (receiver, output) = receiver(5, 1, None);
        receiver.opened().received(text("one"));
        NOW_NS.set(1_500_000_000);
        receiver.finish();
        tick_at(2_000_000_000, &receiver);
        let expected = r#"{"event":"result","connections":1,"messages":1,"opened_ns":1000000000,"received_ns":1500000000}
"#;
        assert_eq!(output.lines(), expected);
    }

    #[test]
    fn each_connection_of_a_feed_is_checked_separately_and_all_are_added_up() {
        let (receiver, output) = receiver(3, 2, Some(Kind::Sequence));
        for numbers in [["5", "6", "8"], ["0", "1", "one"]] {
            let mut connection = receiver.opened();
            for number in numbers {
                connection.received(text(number));
            }
        }
        receiver.finish();
        let expected = r#""wrong":1,"sequence":{"in_order":4,"gaps":1,"missing":1,"duplicates":0,"reordered":0,"unexpected":0},"latency_ns":null}
"#;
        assert!(output.lines().ends_with(expected), "{}", output.lines());
    }

    #[test]
    fn latencies_start_at_the_time_in_the_message_which_is_not_in_the_future() {
        let (receiver, output) = receiver(3, 1, Some(Kind::Clock));
        let mut connection = receiver.opened();
        for instant in ["999999000", "1000000000", "1000000001"] {
            connection.received(text(instant));
        }
        drop(connection);
        receiver.finish();
        let expected = r#""wrong":1,"sequence":null,"latency_ns":{"0":1,"1000":1}}
"#;
        assert!(output.lines().ends_with(expected), "{}", output.lines());
    }
}
