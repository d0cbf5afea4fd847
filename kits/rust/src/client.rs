//! The variables of a client, what it does after each message, and its result line:
//! `docs/contract.md`, section 3.

use std::io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard};

use crate::fail;
use crate::variables;

/// What a client does after a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Receives the next message.
    Continue,
    /// Sends the message back.
    Reply,
    /// Starts the closing handshake with code 1000, and receives until the connection has ended.
    Close,
}

/// The settings of a client, and what its connections have received.
pub struct Client {
    /// The server's address.
    pub url: String,
    /// How many connections to open.
    pub connections: u64,
    is_replying: bool,
    messages: u64,
    totals: Mutex<Totals>,
}

#[derive(Clone, Copy, Default)]
struct Totals {
    connections: u64,
    messages: u64,
    opened_ns: u64,
    received_ns: u64,
}

impl Client {
    /// Reads the environment variables, or ends the program with status 2 and the reason. The
    /// client lives as long as the program.
    pub fn from_environment() -> &'static Self {
        Box::leak(Box::new(Self {
            url: variables::url(),
            connections: variables::count("CONNECTIONS", Some(1), u32::MAX.into()),
            is_replying: match variables::get("VERB").as_deref() {
                None | Some("count") => false,
                Some("reply") => true,
                Some(verb) => fail(2, &format!("VERB is {verb:?}: give count or reply")),
            },
            messages: variables::count("MESSAGES", Some(u64::MAX), u64::MAX),
            totals: Mutex::default(),
        }))
    }

    /// Registers an open connection. Call this as soon as the library reports that it is open.
    pub fn opened(&self) -> Connection<'_> {
        let opened_ns = monotonic_ns();
        let mut totals = self.totals();
        if totals.connections == 0 {
            totals.opened_ns = opened_ns;
        }
        totals.connections += 1;
        Connection {
            client: self,
            messages: 0,
            inspected_from: if self.is_replying { 0 } else { self.messages },
            received_ns: u64::MAX,
        }
    }

    /// Prints the result. Call this last, when all connections have been dropped.
    pub fn print_result(&self) {
        let totals = *self.totals();
        let received_ns = totals.received_ns.min(monotonic_ns());
        writeln!(
            io::stdout(),
            r#"{{"event":"result","connections":{},"messages":{},"opened_ns":{},"received_ns":{received_ns}}}"#,
            totals.connections, totals.messages, totals.opened_ns
        )
        .unwrap_or_else(|error| fail(1, &error));
    }

    fn totals(&self) -> MutexGuard<'_, Totals> {
        self.totals.lock().expect("nobody panics while holding it")
    }
}

/// Counts the messages of one connection.
pub struct Connection<'a> {
    client: &'a Client,
    messages: u64,
    /// The first message that needs more than counting: the last one wanted or, if all are sent
    /// back, the first.
    inspected_from: u64,
    /// The instant of the last message wanted, or the largest number.
    received_ns: u64,
}

impl Connection<'_> {
    /// Counts a message, and returns what to do then. Before the last one wanted, it costs an
    /// addition and a comparison.
    #[inline]
    pub fn received(&mut self) -> Action {
        self.messages += 1;
        if self.messages < self.inspected_from {
            return Action::Continue;
        }
        self.inspect()
    }

    #[cold]
    #[inline(never)]
    fn inspect(&mut self) -> Action {
        if self.client.is_replying {
            return Action::Reply;
        }
        if self.messages > self.client.messages {
            self.messages = self.client.messages; // More may arrive while the connection closes.
            return Action::Continue;
        }
        self.received_ns = monotonic_ns();
        Action::Close
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        let mut totals = self.client.totals();
        totals.messages += self.messages;
        totals.received_ns = totals.received_ns.max(self.received_ns);
    }
}

/// Tells whether the server has ended the TCP connection. Then the client is done.
pub fn is_end_of_stream(error: &io::Error) -> bool {
    matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof)
}

/// Returns the present, in nanoseconds of `CLOCK_MONOTONIC`. `Instant` reads the same clock but
/// does not expose the value.
fn monotonic_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a valid place for the kernel to write to.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    assert_eq!(status, 0, "Linux always has this clock");
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}
