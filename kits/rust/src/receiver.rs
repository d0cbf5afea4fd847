//! Adds up what arrives on all connections of a client.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use std::{env, thread};

use crate::counter::{Counter, Tally};
use crate::report::{Outcome, Report, Totals};
use crate::settings::Settings;
use crate::{fail, look_up};

const SECOND_NS: u64 = 1_000_000_000;

/// Adds up what arrives on all connections of a client, and prints it.
pub struct Receiver {
    settings: Settings,
    clock: fn() -> u64,
    /// Called once, when the first connection is open, with the instant at which it was.
    start_ticker: fn(u64, Arc<Mutex<State>>),
    state: Arc<Mutex<State>>,
}

/// What the receiver shares with the ticker.
struct State {
    connections: u64,
    clock: fn() -> u64,
    report: Report<Box<dyn Write + Send>>,
    is_finished: bool,
    opened_ns: u64,
    tallies: Vec<Arc<Tally>>,
}

impl Receiver {
    /// Makes the receiver that the environment asks for, or ends the program.
    #[must_use]
    pub fn from_environment() -> Self {
        let settings = Settings::parse(look_up).unwrap_or_else(|reason| fail(2, &reason));
        // A contestant runs in its folder, whose name is its identity.
        let folder = env::current_dir().unwrap_or_else(|error| fail(1, &error));
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut receiver = Self::new(settings, name, monotonic_ns, Box::new(io::stdout()));
        receiver.start_ticker = |opened_ns, state| {
            thread::spawn(move || tick(opened_ns, &state));
        };
        receiver
    }

    fn new(
        settings: Settings,
        name: String,
        clock: fn() -> u64,
        output: Box<dyn Write + Send>,
    ) -> Self {
        let state = State {
            connections: settings.connections,
            clock,
            report: Report::new(settings.lines, name, output),
            is_finished: false,
            opened_ns: 0,
            tallies: Vec::new(),
        };
        Self {
            settings,
            clock,
            start_ticker: |_, _| {},
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Where to connect.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.settings.url
    }

    /// How many connections to open.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.settings.connections
    }

    /// To be called as soon as the library says that a connection is open.
    #[must_use]
    pub fn start_counting(&self) -> Counter {
        let counter = Counter::new(self.settings.messages, self.clock);
        let mut state = lock(&self.state);
        state.tallies.push(counter.tally());
        if state.tallies.len() == 1 {
            state.opened_ns = (self.clock)();
            (self.start_ticker)(state.opened_ns, Arc::clone(&self.state));
        }
        counter
    }

    /// To be called last, when nothing is counted any more.
    pub fn print_result(&self) {
        let mut state = lock(&self.state);
        state.is_finished = true;
        let received_ns = state.end_ns();
        state.print_seconds(received_ns);
        let outcome = Outcome {
            connections: state.tallies.len(),
            totals: state.totals(),
            opened_ns: state.opened_ns,
            received_ns,
        };
        state
            .report
            .print_result(outcome)
            .unwrap_or_else(|error| fail(1, &error));
    }
}

impl State {
    /// Prints what is due at the end of a second, and nothing after the result.
    fn tick(&mut self) {
        if !self.is_finished {
            let end_ns = self.end_ns();
            self.print_seconds(end_ns);
        }
    }

    fn totals(&self) -> Totals {
        let mut sum = Totals::default();
        for totals in self.tallies.iter().map(|tally| tally.totals()) {
            sum.messages += totals.messages;
            sum.bytes += totals.bytes;
        }
        sum
    }

    /// Prints the seconds that have ended by `end_ns` and are not printed.
    fn print_seconds(&mut self, end_ns: u64) {
        while self.opened_ns + (self.report.seconds_printed() + 1) * SECOND_NS <= end_ns {
            let totals = self.totals();
            self.report
                .print_second(totals)
                .unwrap_or_else(|error| fail(1, &error));
        }
    }

    /// The instant of the last message or, where messages are missing, the present.
    ///
    /// If the server closed early, it is not known when its last message came: reading the clock
    /// for each message would slow down all trials for the sake of failed ones.
    fn end_ns(&self) -> u64 {
        let instants = self.tallies.iter().map(|tally| tally.received_ns());
        match instants.collect::<Option<Vec<_>>>() {
            Some(all) if all.len() as u64 == self.connections => {
                all.into_iter().max().expect("one connection at least")
            }
            _ => (self.clock)(),
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().expect("nobody panics while holding the lock")
}

/// Prints a line for each second since `opened_ns`, for as long as the program lives.
fn tick(opened_ns: u64, state: &Mutex<State>) {
    for second in 1.. {
        let due_ns = opened_ns + second * SECOND_NS;
        thread::sleep(Duration::from_nanos(due_ns.saturating_sub(monotonic_ns())));
        lock(state).tick();
    }
}

fn monotonic_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a valid place for the kernel to write to.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    assert_eq!(status, 0, "Linux always has this clock");
    now.tv_sec.cast_unsigned() * SECOND_NS + now.tv_nsec.cast_unsigned()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::settings::Lines;

    thread_local! {
        static NOW_NS: Cell<u64> = const { Cell::new(0) };
        static STARTED_AT_NS: Cell<Option<u64>> = const { Cell::new(None) };
    }

    #[derive(Clone, Default)]
    struct Output(Arc<Mutex<Vec<u8>>>);

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Output {
        fn lines(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    /// A receiver with a clock that stands still, at 1 s, until it is set.
    fn receiver(messages: u64, connections: u64) -> (Receiver, Output) {
        let settings = Settings {
            url: "ws://host/".to_owned(),
            messages,
            connections,
            lines: Lines::Json,
        };
        NOW_NS.set(SECOND_NS);
        let output = Output::default();
        let name = "rust-library".to_owned();
        let receiver = Receiver::new(settings, name, || NOW_NS.get(), Box::new(output.clone()));
        (receiver, output)
    }

    fn tick_at(now_ns: u64, receiver: &Receiver) {
        NOW_NS.set(now_ns);
        lock(&receiver.state).tick();
    }

    #[test]
    fn a_second_is_what_arrived_since_the_last() {
        let (receiver, output) = receiver(10, 1);
        let mut counter = receiver.start_counting();
        counter.count(11);
        counter.count(12);
        tick_at(1_999_999_999, &receiver);
        tick_at(2_000_000_000, &receiver);
        tick_at(3_000_000_000, &receiver);
        counter.count(13);
        tick_at(4_000_000_000, &receiver);
        let expected = r#"{"event":"second","second":0,"messages":2,"bytes":23}
{"event":"second","second":1,"messages":0,"bytes":0}
{"event":"second","second":2,"messages":1,"bytes":13}
"#;
        assert_eq!(output.lines(), expected);
    }

    #[test]
    fn no_second_is_left_out_when_the_ticker_is_late() {
        let (receiver, output) = receiver(10, 1);
        receiver.start_counting().count(11);
        tick_at(3_100_000_000, &receiver);
        let expected = r#"{"event":"second","second":0,"messages":1,"bytes":11}
{"event":"second","second":1,"messages":0,"bytes":0}
"#;
        assert_eq!(output.lines(), expected);
    }

    #[test]
    fn the_result_prints_the_seconds_that_the_ticker_missed() {
        let (receiver, output) = receiver(1, 1);
        let mut counter = receiver.start_counting();
        NOW_NS.set(2_500_000_000);
        counter.count(11);
        receiver.print_result();
        let expected = concat!(
            r#"{"event":"second","second":0,"messages":1,"bytes":11}"#,
            "\n",
            r#"{"event":"result","connections":1,"messages":1,"bytes":11,"#,
            r#""opened_ns":1000000000,"received_ns":2500000000}"#,
            "\n"
        );
        assert_eq!(output.lines(), expected);
    }

    #[test]
    fn no_second_is_printed_after_the_last_message() {
        let (receiver, output) = receiver(1, 1);
        receiver.start_counting().count(11);
        tick_at(2_000_000_000, &receiver);
        assert_eq!(output.lines(), "");
    }

    #[test]
    fn connections_are_added_up_from_the_first_opening_to_the_last_message() {
        let (receiver, output) = receiver(1, 2);
        let mut first = receiver.start_counting();
        NOW_NS.set(1_100_000_000);
        let mut second = receiver.start_counting();
        first.count(11);
        tick_at(2_000_000_000, &receiver);
        second.count(12);
        NOW_NS.set(2_500_000_000);
        receiver.print_result();
        let expected = concat!(
            r#"{"event":"second","second":0,"messages":1,"bytes":11}"#,
            "\n",
            r#"{"event":"result","connections":2,"messages":2,"bytes":23,"#,
            r#""opened_ns":1000000000,"received_ns":2000000000}"#,
            "\n"
        );
        assert_eq!(output.lines(), expected);
    }

    #[test]
    fn a_server_that_closes_early_leaves_a_result_and_nothing_after_it() {
        let (receiver, output) = receiver(5, 1);
        receiver.start_counting().count(11);
        NOW_NS.set(1_500_000_000);
        receiver.print_result();
        tick_at(2_000_000_000, &receiver);
        let expected = concat!(
            r#"{"event":"result","connections":1,"messages":1,"bytes":11,"#,
            r#""opened_ns":1000000000,"received_ns":1500000000}"#,
            "\n"
        );
        assert_eq!(output.lines(), expected);
    }

    #[test]
    fn the_ticker_starts_once_when_the_first_connection_is_open() {
        let (mut receiver, _) = receiver(5, 2);
        receiver.start_ticker = |opened_ns, _| {
            assert_eq!(STARTED_AT_NS.replace(Some(opened_ns)), None);
        };
        let _counters = [receiver.start_counting(), receiver.start_counting()];
        assert_eq!(STARTED_AT_NS.get(), Some(SECOND_NS));
    }
}
