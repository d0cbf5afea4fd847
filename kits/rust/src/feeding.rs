//! Sends a feed to subscribers on schedule: `docs/contract.md`, section 8.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;
use std::{process, thread};

use crate::clock::{SECOND_NS, duration_between, monotonic_ns};
use crate::fail;
use crate::feed::Payload;
use crate::group::Group;
use crate::report::{Totals, second_line};
use crate::serving::FeedSettings;

/// One feed for one group of subscribers, from its first message to its last.
///
/// To publish it, wait as long as [`Feed::wait`] returns; if that is zero, send
/// [`Feed::next_message`] to all [`Feed::subscribed`]. Iterating does both with a blocking wait.
pub struct Feed<M> {
    settings: FeedSettings,
    group: Arc<Group<M>>,
    clock: fn() -> u64,
    output: Box<dyn Write + Send>,
    start_ns: u64,
    number: u64,
    handed: Totals,
    /// Totals at the last printed line.
    printed: Totals,
    seconds: u64,
    is_over: bool,
}

impl<M: Clone> Feed<M> {
    pub(crate) fn new(settings: FeedSettings, group: Arc<Group<M>>) -> Self {
        Self::with(settings, group, monotonic_ns, Box::new(io::stdout()))
    }

    pub(crate) fn with(
        settings: FeedSettings,
        group: Arc<Group<M>>,
        clock: fn() -> u64,
        output: Box<dyn Write + Send>,
    ) -> Self {
        Self {
            settings,
            group,
            clock,
            output,
            start_ns: clock(),
            number: 0,
            handed: Totals::default(),
            printed: Totals::default(),
            seconds: 0,
            is_over: false,
        }
    }

    /// Returns the recipients of the next message.
    #[must_use]
    pub fn subscribed(&self) -> Vec<M> {
        self.group.subscribed()
    }

    /// Returns how long to wait before calling this again; zero if the next message is due. Returns
    /// `None` if the feed is over: then the result is printed and the subscribers are released.
    #[must_use]
    pub fn wait(&mut self) -> Option<Duration> {
        if self.is_over {
            return None;
        }
        let now_ns = (self.clock)();
        self.print_seconds(now_ns);
        let due_ns = self.due_ns(now_ns);
        let is_over = due_ns <= now_ns && !self.is_left(due_ns);
        if is_over || self.group.count() == 0 {
            self.finish();
            return None;
        }
        Some(duration_between(now_ns, due_ns.min(self.next_second_ns())))
    }

    /// Returns the message that is due and counts it once per subscriber.
    #[must_use]
    pub fn next_message(&mut self) -> Payload {
        let number = self.number;
        let stocks = self.settings.stocks_of_message(number);
        let stocks = stocks.unwrap_or_else(|reason| fail(1, &reason));
        let time_ns = match self.settings.every_ns {
            Some(every_ns) => self.start_ns + number * every_ns,
            None => (self.clock)(),
        };
        let message = self.settings.format.encode(number, time_ns, &stocks);
        let subscribed = self.group.count();
        self.number += 1;
        self.handed.messages += subscribed;
        self.handed.bytes += message.byte_count() as u64 * subscribed;
        message
    }

    /// Returns when the next message is due. After the last message, this is when the feed ends.
    fn due_ns(&self, now_ns: u64) -> u64 {
        match self.settings.every_ns {
            Some(every_ns) => self.start_ns + self.number * every_ns,
            None => now_ns,
        }
    }

    fn is_left(&self, due_ns: u64) -> bool {
        let is_late = |duration_ns| due_ns >= self.start_ns + duration_ns;
        let is_last = |messages| self.number >= messages;
        !self.settings.duration_ns.is_some_and(is_late)
            && !self.settings.messages.is_some_and(is_last)
    }

    fn next_second_ns(&self) -> u64 {
        self.start_ns + (self.seconds + 1) * SECOND_NS
    }

    fn print_seconds(&mut self, until_ns: u64) {
        while until_ns >= self.next_second_ns() {
            let line = second_line(self.seconds, &self.handed.since(self.printed).to_json());
            self.print(&line);
            self.seconds += 1;
            self.printed = self.handed;
        }
    }

    fn finish(&mut self) {
        let handed = self.handed.to_json();
        self.print(&format!(r#"{{"event":"result",{handed}}}"#));
        self.is_over = true;
        self.group.end();
    }

    fn print(&mut self, line: &str) {
        writeln!(self.output, "{line}")
            .and_then(|()| self.output.flush())
            .unwrap_or_else(|error| fail(1, &error));
    }
}

impl<M: Clone> Iterator for Feed<M> {
    type Item = Payload;

    /// Waits for the next message.
    fn next(&mut self) -> Option<Payload> {
        loop {
            match self.wait()? {
                Duration::ZERO => return Some(self.next_message()),
                wait => thread::sleep(wait),
            }
        }
    }
}

impl<M> Drop for Feed<M> {
    /// Ends the program after a panic: a feed that has stopped must not look like a slow one.
    fn drop(&mut self) {
        if thread::panicking() {
            process::exit(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::feed::{Encoding, FeedFormat, Kind};
    use crate::receiver::tests::Output;

    const START_NS: u64 = 81 * SECOND_NS;
    const EVERY_NS: u64 = 400_000_000;

    thread_local! {
        static NOW_NS: Cell<u64> = const { Cell::new(START_NS) };
    }

    /// A feed for two subscribers, with a manual clock.
    fn feed(settings: FeedSettings) -> (Feed<char>, Output) {
        NOW_NS.set(START_NS);
        let group = Arc::new(Group::default());
        for subscriber in ['a', 'b'] {
            group.add(subscriber);
        }
        let output = Output::default();
        let feed = Feed::with(settings, group, || NOW_NS.get(), Box::new(output.clone()));
        (feed, output)
    }

    fn settings(kind: Kind) -> FeedSettings {
        FeedSettings::new(FeedFormat::new(kind, Encoding::Json))
    }

    fn waits(feed: &mut Feed<char>, expected_ns: u64) {
        assert_eq!(feed.wait(), Some(Duration::from_nanos(expected_ns)));
    }

    fn sends(feed: &mut Feed<char>, expected: &str) {
        waits(feed, 0);
        assert_eq!(feed.next_message(), Payload::Text(expected.to_owned()));
    }

    #[test]
    fn messages_are_due_by_their_number() {
        let (mut feed, _) = feed(FeedSettings {
            every_ns: Some(EVERY_NS),
            messages: Some(3),
            ..settings(Kind::Clock)
        });
        sends(&mut feed, &format!("{START_NS}"));
        waits(&mut feed, EVERY_NS);
        // A late message carries the time at which it was due, and does not delay the next ones.
        NOW_NS.set(START_NS + EVERY_NS + 7);
        sends(&mut feed, &format!("{}", START_NS + EVERY_NS));
        waits(&mut feed, EVERY_NS - 7);
        NOW_NS.set(START_NS + 2 * EVERY_NS);
        sends(&mut feed, &format!("{}", START_NS + 2 * EVERY_NS));
        // The last message has an interval like the others; the end of the second comes first.
        waits(&mut feed, EVERY_NS / 2);
        NOW_NS.set(START_NS + 3 * EVERY_NS);
        assert_eq!(feed.wait(), None);
    }

    #[test]
    fn a_message_due_at_the_end_is_not_sent() {
        let (mut feed, _) = feed(FeedSettings {
            every_ns: Some(EVERY_NS),
            duration_ns: Some(2 * EVERY_NS),
            ..settings(Kind::Sequence)
        });
        for number in 0..2 {
            NOW_NS.set(START_NS + number * EVERY_NS);
            sends(&mut feed, &number.to_string());
        }
        waits(&mut feed, EVERY_NS);
        NOW_NS.set(START_NS + 2 * EVERY_NS);
        assert_eq!(feed.wait(), None);
    }

    #[test]
    fn a_continuous_feed_ends_by_time_or_number() {
        let (mut timed, _) = feed(FeedSettings {
            duration_ns: Some(10),
            ..settings(Kind::Clock)
        });
        NOW_NS.set(START_NS + 9);
        sends(&mut timed, &format!("{}", START_NS + 9));
        NOW_NS.set(START_NS + 10);
        assert_eq!(timed.wait(), None);
        let (mut counted, _) = feed(FeedSettings {
            messages: Some(1),
            ..settings(Kind::Hello)
        });
        sends(&mut counted, "hello world");
        assert_eq!(counted.wait(), None);
    }

    #[test]
    fn a_feed_without_subscribers_is_over() {
        let (mut feed, _) = feed(FeedSettings {
            messages: Some(5),
            ..settings(Kind::Hello)
        });
        feed.group.end();
        assert_eq!(feed.wait(), None);
    }

    #[test]
    fn each_second_counts_the_sent_messages() {
        let (mut feed, output) = feed(FeedSettings {
            every_ns: Some(700_000_000),
            messages: Some(3),
            ..settings(Kind::Hello)
        });
        for number in 0..3 {
            NOW_NS.set(START_NS + number * 700_000_000);
            sends(&mut feed, "hello world");
        }
        feed.group.remove(1);
        NOW_NS.set(START_NS + 3 * 700_000_000);
        assert_eq!(feed.wait(), None);
        assert_eq!(feed.wait(), None);
        let expected = r#"{"event":"second","second":0,"messages":4,"bytes":44}
{"event":"second","second":1,"messages":2,"bytes":22}
{"event":"result","messages":6,"bytes":66}
"#;
        assert_eq!(output.lines(), expected);
    }

    #[test]
    fn a_wait_ends_at_the_end_of_the_second_at_the_latest() {
        let (mut feed, output) = feed(FeedSettings {
            every_ns: Some(5 * SECOND_NS),
            messages: Some(2),
            ..settings(Kind::Hello)
        });
        sends(&mut feed, "hello world");
        waits(&mut feed, SECOND_NS);
        NOW_NS.set(START_NS + SECOND_NS);
        waits(&mut feed, SECOND_NS);
        assert_eq!(output.lines().lines().count(), 1);
    }
}
