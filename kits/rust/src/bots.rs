//! Bots: connections that send when it is due. `docs/contract.md`, section 6.

use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

use crate::clock::{duration_between, monotonic_ns};
use crate::fail;
use crate::feed::Received;
use crate::latency::Latencies;
use crate::settings::BotSettings;
use crate::variables::read_or_exit;

const NUMBER_DIGITS: usize = 20;

/// When an event is due; the place is a connection's, of so many.
pub(crate) fn due_ns(start_ns: u64, every_ns: u64, place: (u64, u64), event: u64) -> u64 {
    let (connection, connections) = place;
    let offset_ns = u128::from(connection) * u128::from(every_ns) / u128::from(connections);
    let offset_ns = u64::try_from(offset_ns).expect("it is less than an interval");
    start_ns + offset_ns + event * every_ns
}

/// The text of an event.
pub(crate) fn stamp(event: u64, due_ns: u64, payload: &str) -> String {
    format!("{event:020} {due_ns:020} {payload}")
}

/// All connections' events, and the client's line.
pub struct Bots {
    settings: BotSettings,
    clock: fn() -> u64,
    state: Mutex<State>,
    has_started: Condvar,
}

#[derive(Default)]
struct State {
    opened: u64,
    /// When all connections were open.
    start_ns: Option<u64>,
    sent: u64,
    wrong: u64,
    response_times: Latencies,
}

impl Bots {
    /// Makes the bots that the environment asks for, or ends the program. They live as long as the
    /// program.
    #[must_use]
    pub fn from_environment() -> &'static Self {
        let settings = read_or_exit(BotSettings::read);
        Box::leak(Box::new(Self::new(settings, monotonic_ns)))
    }

    fn new(settings: BotSettings, clock: fn() -> u64) -> Self {
        Self {
            settings,
            clock,
            state: Mutex::default(),
            has_started: Condvar::new(),
        }
    }

    /// Where to connect.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.settings.echo.url
    }

    /// How many connections to open.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.settings.echo.connections
    }

    /// To be called as soon as the library says that a connection is open. The bot must not be
    /// asked for anything before all connections are.
    #[must_use]
    pub fn opened(&self) -> Bot<'_> {
        let mut state = self.lock();
        let connection = state.opened;
        state.opened += 1;
        if state.opened == self.connections() {
            state.start_ns = Some((self.clock)());
            self.has_started.notify_all();
        }
        Bot {
            bots: self,
            connection,
            progress: Mutex::default(),
        }
    }

    /// Blocks until all connections are open.
    ///
    /// # Panics
    ///
    /// If another thread has panicked while it opened one.
    pub fn wait_for_start(&self) {
        let state = self
            .has_started
            .wait_while(self.lock(), |state| state.start_ns.is_none());
        drop(state.expect("nobody panics while holding the lock"));
    }

    /// Prints the result. To be called last, when all connections are closed.
    pub fn finish(&self) {
        self.print_result(io::stdout())
            .unwrap_or_else(|error| fail(1, &error));
    }

    fn print_result(&self, mut output: impl Write) -> io::Result<()> {
        let state = self.lock();
        let State {
            opened,
            sent,
            wrong,
            response_times,
            ..
        } = &*state;
        let echoed = response_times.count();
        let window_ns = self.settings.echo.window_ns;
        let response_times = response_times.to_json();
        writeln!(
            output,
            r#"{{"event":"result","connections":{opened},"sent":{sent},"echoed":{echoed},"wrong":{wrong},"window_ns":{window_ns},"response_time_ns":{response_times}}}"#
        )?;
        output.flush()
    }

    fn start_ns(&self) -> u64 {
        let start_ns = self.lock().start_ns;
        start_ns.expect("all connections are open")
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nobody panics while holding the lock")
    }
}

/// One connection's events. Sender and receiver may be two threads or tasks. It must be dropped
/// before the bots finish.
pub struct Bot<'a> {
    bots: &'a Bots,
    connection: u64,
    progress: Mutex<Progress>,
}

#[derive(Default)]
struct Progress {
    plan: Option<Plan>,
    sent: u64,
    sent_in_window: u64,
    /// The number of the first event that is not answered.
    unanswered: u64,
    wrong: u64,
    response_times: Latencies,
}

/// The instants of a connection, which are known when all connections are open.
#[derive(Clone, Copy)]
struct Plan {
    first_due_ns: u64,
    every_ns: u64,
    window_ns: (u64, u64),
    end_ns: u64,
}

impl Plan {
    fn due_ns(self, event: u64) -> u64 {
        self.first_due_ns + event * self.every_ns
    }

    fn is_counted(self, due_ns: u64) -> bool {
        (self.window_ns.0..self.window_ns.1).contains(&due_ns)
    }

    /// When an event is due; `None`: it is not to be sent.
    fn due_ns_of_planned(self, event: u64) -> Option<u64> {
        Some(self.due_ns(event)).filter(|&due_ns| due_ns < self.window_ns.1)
    }
}

impl Bot<'_> {
    /// How long it is until the next event is due; `None`: all are sent.
    #[must_use]
    pub fn time_to_event(&self) -> Option<Duration> {
        let (plan, progress) = self.plan();
        let due_ns = plan.due_ns_of_planned(progress.sent)?;
        Some(duration_between((self.bots.clock)(), due_ns))
    }

    /// How long answers are waited for.
    #[must_use]
    pub fn time_to_end(&self) -> Duration {
        duration_between((self.bots.clock)(), self.plan().0.end_ns)
    }

    /// Whether the last event is answered, or the time for that is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let (plan, progress) = self.plan();
        let all_are_sent = plan.due_ns_of_planned(progress.sent).is_none();
        let all_are_answered = progress.unanswered == progress.sent;
        all_are_sent && (all_are_answered || (self.bots.clock)() >= plan.end_ns)
    }

    /// The text that is to be sent now.
    #[must_use]
    pub fn next_event(&self) -> String {
        let (plan, mut progress) = self.plan();
        let event = progress.sent;
        let due_ns = plan.due_ns(event);
        progress.sent += 1;
        progress.sent_in_window += u64::from(plan.is_counted(due_ns));
        stamp(event, due_ns, &self.bots.settings.echo.payload)
    }

    /// Judges an answer.
    pub fn answered(&self, answer: Received) {
        let now_ns = (self.bots.clock)();
        let (plan, mut progress) = self.plan();
        let Some(event) = self.judge(answer, plan, &progress) else {
            progress.wrong += 1;
            return;
        };
        progress.unanswered = event + 1;
        let due_ns = plan.due_ns(event);
        if plan.is_counted(due_ns) {
            progress
                .response_times
                .record(now_ns.saturating_sub(due_ns));
        }
    }

    /// Tells which event an answer is right for.
    fn judge(&self, answer: Received, plan: Plan, progress: &Progress) -> Option<u64> {
        let text = answer.text()?;
        let digits = text.get(..NUMBER_DIGITS)?;
        let is_number = digits.iter().all(u8::is_ascii_digit);
        let event = str::from_utf8(digits)
            .ok()
            .filter(|_| is_number)?
            .parse()
            .ok()?;
        if !(progress.unanswered..progress.sent).contains(&event) {
            return None;
        }
        let expected = stamp(event, plan.due_ns(event), &self.bots.settings.echo.payload);
        (text == expected.as_bytes()).then_some(event)
    }

    fn plan(&self) -> (Plan, MutexGuard<'_, Progress>) {
        let mut progress = self
            .progress
            .lock()
            .expect("nobody panics while holding the lock");
        let plan = *progress.plan.get_or_insert_with(|| {
            let BotSettings {
                echo,
                every_ns,
                drain_ns,
            } = &self.bots.settings;
            let start_ns = self.bots.start_ns();
            let window_start_ns = start_ns + echo.warm_up_ns;
            let window_end_ns = window_start_ns + echo.window_ns;
            let place = (self.connection, echo.connections);
            Plan {
                first_due_ns: due_ns(start_ns, *every_ns, place, 0),
                every_ns: *every_ns,
                window_ns: (window_start_ns, window_end_ns),
                end_ns: window_end_ns + drain_ns,
            }
        });
        (plan, progress)
    }
}

impl Drop for Bot<'_> {
    fn drop(&mut self) {
        if let Ok(progress) = self.progress.get_mut() {
            let mut state = self.bots.lock();
            state.sent += progress.sent_in_window;
            state.wrong += progress.wrong;
            state.response_times.merge(&progress.response_times);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::settings::EchoSettings;

    const OPENED_NS: u64 = 81_000_000_000;
    const EVERY_NS: u64 = 100;
    const WINDOW_NS: u64 = 400;

    thread_local! {
        static NOW_NS: Cell<u64> = const { Cell::new(0) };
    }

    /// Bots whose clock stands still until it is set.
    fn bots(connections: u64, warm_up_ns: u64) -> Bots {
        let settings = BotSettings {
            echo: EchoSettings {
                url: "ws://host/echo".to_owned(),
                connections,
                payload: "hi".to_owned(),
                warm_up_ns,
                window_ns: WINDOW_NS,
            },
            every_ns: EVERY_NS,
            drain_ns: 1_000,
        };
        NOW_NS.set(OPENED_NS);
        Bots::new(settings, || NOW_NS.get())
    }

    fn pass(duration_ns: u64) {
        NOW_NS.set(NOW_NS.get() + duration_ns);
    }

    fn send_all(bot: &Bot) -> Vec<String> {
        let mut events = Vec::new();
        while bot.time_to_event().is_some() {
            events.push(bot.next_event());
        }
        events
    }

    fn answer(bot: &Bot, text: &str) {
        bot.answered(Received::Text(text.as_bytes()));
    }

    fn result(bots: &Bots) -> String {
        let mut output = Vec::new();
        bots.print_result(&mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn begins_when_the_last_connection_is_open_and_is_spread_over_the_interval() {
        let bots = bots(3, 0);
        let first = bots.opened();
        let second = bots.opened();
        pass(7);
        let third = bots.opened();
        bots.wait_for_start();
        let waits = [&first, &second, &third].map(|bot| bot.time_to_event().unwrap().as_nanos());
        assert_eq!(waits, [0, 33, 66]);
    }

    #[test]
    fn sends_what_is_due_before_the_window_ends() {
        let bots = bots(2, 250);
        let (first, second) = (bots.opened(), bots.opened());
        // Due at 0, 100, … 600 and at 50, 150, … 650, of 650.
        assert_eq!((send_all(&first).len(), send_all(&second).len()), (7, 6));
        drop((first, second));
        // Of these, 300, … 600 and 250, … 550 are within the window.
        assert!(result(&bots).contains(r#""sent":8,"#));
    }

    #[test]
    fn response_times_are_from_due_and_of_the_window_only() {
        let bots = bots(1, 250);
        let bot = bots.opened();
        for event in send_all(&bot) {
            pass(90);
            answer(&bot, &event);
        }
        drop(bot);
        // Answered at 360, 450, 540 and 630.
        let expected = r#"{"event":"result","connections":1,"sent":4,"echoed":4,"wrong":0,"window_ns":400,"response_time_ns":{"30":1,"40":1,"50":1,"60":1}}"#;
        assert_eq!(result(&bots), format!("{expected}\n"));
    }

    #[test]
    fn an_answer_is_right_once_and_in_its_order() {
        let bots = bots(1, 0);
        let bot = bots.opened();
        let events = send_all(&bot);
        answer(&bot, &events[1]);
        let longer = format!("{}!", events[2]);
        let unsent = stamp(99, OPENED_NS + 99 * EVERY_NS, "hi");
        for wrong in [&events[1], &events[0], &longer, "", "4", &unsent] {
            answer(&bot, wrong);
        }
        bot.answered(Received::Binary(events[2].as_bytes()));
        assert!(!bot.is_over());
        answer(&bot, &events[3]);
        assert!(bot.is_over());
        drop(bot);
        assert!(result(&bots).contains(r#""sent":4,"echoed":2,"wrong":7,"#));
    }

    #[test]
    fn answers_that_do_not_come_are_waited_for_until_the_drain_is_over() {
        let bots = bots(1, 0);
        let bot = bots.opened();
        send_all(&bot);
        pass(WINDOW_NS + 999);
        assert_eq!((bot.is_over(), bot.time_to_end().as_nanos()), (false, 1));
        pass(1);
        assert_eq!((bot.is_over(), bot.time_to_end().as_nanos()), (true, 0));
    }
}
