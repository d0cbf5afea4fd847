//! Counts the echoes of a client and prints its line: `docs/contract.md`, section 5.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use crate::settings::EchoSettings;
use crate::{fail, look_up};

/// Counts what comes back on all connections of a client.
pub struct Exchanger {
    settings: EchoSettings,
    clock: fn() -> Instant,
    opened: AtomicU64,
    echoed: AtomicU64,
    wrong: AtomicU64,
    /// When the window begins. It is not known until the last connection is open.
    begins: OnceLock<Instant>,
}

impl Exchanger {
    /// Makes the exchanger that the environment asks for, or ends the program.
    #[must_use]
    pub fn from_environment() -> Self {
        let settings = EchoSettings::parse(look_up).unwrap_or_else(|reason| fail(2, &reason));
        Self::new(settings, Instant::now)
    }

    fn new(settings: EchoSettings, clock: fn() -> Instant) -> Self {
        Self {
            settings,
            clock,
            opened: AtomicU64::new(0),
            echoed: AtomicU64::new(0),
            wrong: AtomicU64::new(0),
            begins: OnceLock::new(),
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

    /// The text to send.
    #[must_use]
    pub fn payload(&self) -> &str {
        &self.settings.payload
    }

    /// To be called as soon as the library says that a connection is open.
    pub fn opened(&self) {
        if self.opened.fetch_add(1, Relaxed) + 1 == self.settings.connections {
            let begins = (self.clock)() + self.settings.warm_up;
            self.begins.get_or_init(|| begins);
        }
    }

    /// Counts one answer, `None` where it is no text, and tells whether to send again; otherwise
    /// the connection is to be closed.
    pub fn answered(&self, text: Option<&str>) -> bool {
        let (is_counted, goes_on) = self.phase();
        if text != Some(self.payload()) {
            self.wrong.fetch_add(1, Relaxed);
        } else if is_counted {
            self.echoed.fetch_add(1, Relaxed);
        }
        goes_on
    }

    /// Tells whether what comes at this instant is counted, and whether it goes on.
    fn phase(&self) -> (bool, bool) {
        let Some(&begins) = self.begins.get() else {
            return (false, true);
        };
        // Asking the clock costs little beside an echo.
        match (self.clock)().checked_duration_since(begins) {
            None => (false, true),
            Some(elapsed) => {
                let is_within = elapsed < self.settings.window;
                (is_within, is_within)
            }
        }
    }

    /// To be called last, when all connections are closed.
    pub fn print_result(&self) {
        self.write_result(io::stdout())
            .unwrap_or_else(|error| fail(1, &error));
    }

    fn write_result(&self, mut output: impl Write) -> io::Result<()> {
        let connections = self.opened.load(Relaxed);
        let echoed = self.echoed.load(Relaxed);
        let wrong = self.wrong.load(Relaxed);
        let window_ns = self.settings.window.as_nanos();
        writeln!(
            output,
            r#"{{"event":"result","connections":{connections},"echoed":{echoed},"wrong":{wrong},"window_ns":{window_ns}}}"#
        )?;
        output.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::*;

    const WARM_UP: Duration = Duration::from_millis(500);
    const WINDOW: Duration = Duration::from_secs(2);
    const TICK: Duration = Duration::from_nanos(1);
    const BEFORE_WINDOW: Duration = WARM_UP.checked_sub(TICK).expect("longer than a tick");
    const END_OF_WINDOW: Duration = BEFORE_WINDOW.saturating_add(WINDOW);

    thread_local! {
        static NOW: Cell<Instant> = Cell::new(Instant::now());
    }

    /// An exchanger with a clock that stands still until it is set.
    fn exchanger(connections: u64) -> Exchanger {
        let settings = EchoSettings {
            url: "ws://host/echo".to_owned(),
            connections,
            payload: "grüezi".to_owned(),
            warm_up: WARM_UP,
            window: WINDOW,
        };
        Exchanger::new(settings, || NOW.get())
    }

    fn pass(duration: Duration) {
        NOW.set(NOW.get() + duration);
    }

    fn counts(exchanger: &Exchanger) -> (u64, u64) {
        (
            exchanger.echoed.load(Relaxed),
            exchanger.wrong.load(Relaxed),
        )
    }

    #[test]
    fn counts_what_comes_within_the_window_and_ends_after_it() {
        for (after, echoed, goes_on) in [
            (Duration::ZERO, 0, true),
            (BEFORE_WINDOW, 0, true),
            (WARM_UP, 1, true),
            (END_OF_WINDOW, 1, true),
            (WARM_UP + WINDOW, 0, false),
        ] {
            let exchanger = exchanger(1);
            exchanger.opened();
            pass(after);
            assert_eq!(exchanger.answered(Some("grüezi")), goes_on, "{after:?}");
            assert_eq!(counts(&exchanger), (echoed, 0), "{after:?}");
        }
    }

    #[test]
    fn another_content_or_type_is_wrong_and_not_echoed() {
        for answer in [Some(""), Some("grüezj"), Some("grüezi "), None] {
            let exchanger = exchanger(1);
            exchanger.opened();
            pass(WARM_UP);
            assert!(exchanger.answered(answer));
            assert_eq!(counts(&exchanger), (0, 1), "{answer:?}");
        }
    }

    #[test]
    fn a_wrong_answer_is_counted_whenever_it_comes() {
        let exchanger = exchanger(1);
        exchanger.opened();
        exchanger.answered(Some("other"));
        pass(WARM_UP + WINDOW);
        assert!(!exchanger.answered(Some("other")));
        assert_eq!(counts(&exchanger), (0, 2));
    }

    #[test]
    fn the_warm_up_begins_when_the_last_connection_is_open() {
        let exchanger = exchanger(2);
        exchanger.opened();
        pass(10 * WINDOW);
        assert!(exchanger.answered(Some("grüezi")));
        exchanger.opened();
        pass(BEFORE_WINDOW);
        assert!(exchanger.answered(Some("grüezi")));
        assert_eq!(counts(&exchanger), (0, 0));
        pass(TICK);
        assert!(exchanger.answered(Some("grüezi")));
        assert_eq!(counts(&exchanger), (1, 0));
    }

    #[test]
    fn the_result_is_the_line_of_the_contract() {
        let exchanger = exchanger(1);
        exchanger.opened();
        pass(WARM_UP);
        exchanger.answered(Some("grüezi"));
        exchanger.answered(Some("other"));
        let mut output = Vec::new();
        exchanger.write_result(&mut output).unwrap();
        let expected =
            r#"{"event":"result","connections":1,"echoed":1,"wrong":1,"window_ns":2000000000}"#;
        assert_eq!(String::from_utf8(output).unwrap(), format!("{expected}\n"));
    }
}
