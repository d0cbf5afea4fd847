//! Timer lateness: how late a sleeping thread wakes.

use std::io;

use autostrada_measure::{Histogram, Nanos};
use autostrada_net::{Events, Poll, Timer, Token, clock};

const TIMER: Token = Token(0);

/// Length of each sleep.
const SLEEP_NS: Nanos = 1_000_000;

/// Maximum number of sleeps.
const SLEEPS: u32 = 1_000;

/// Time after which no further sleep starts.
const LIMIT_NS: Nanos = 1_500_000_000;

/// Measures the time from when each sleep was due to end until the thread woke.
///
/// The thread sleeps as the engine's threads do: in the poller, until a timer wakes it.
pub fn lateness_ns() -> anyhow::Result<Histogram> {
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(1);
    let timer = Timer::new()?;
    timer.register(poll.registry(), TIMER)?;
    let mut lateness_ns = Histogram::new();
    let begun = clock::now();
    for _ in 0..SLEEPS {
        let due = clock::now() + SLEEP_NS;
        timer.set(due)?;
        events.clear();
        while events.is_empty() {
            match poll.poll(&mut events, None) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    return Err(error.into());
                }
                _ => {}
            }
        }
        let woken = clock::now();
        lateness_ns.record(woken - due)?;
        if woken - begun >= LIMIT_NS {
            break;
        }
    }
    Ok(lateness_ns)
}
