//! Was the generator the limit, and not the peer? Then its figures are lower bounds.

use crate::{Histogram, Nanos};

/// A thread that is busy for this share of one core, or more, has no room left.
///
/// As for a server in `docs/methodology.md`. A thread that spins while it waits must not count
/// that as busy.
pub const BUSY_SHARE_MAX: f64 = 0.9;

/// The quantile of the send delay that is judged.
pub const SEND_DELAY_QUANTILE: f64 = 0.99;

/// The send delay that is taken for punctual at that quantile: one millisecond.
///
/// Five times what the engine is to keep at the quantile 0.999 on an idle core, and less than a
/// person or a chart can see. A response time contains it.
pub const SEND_DELAY_NS_MAX: Nanos = 1_000_000;

/// The share of the offered rate from which it counts as kept.
pub const ACHIEVED_SHARE_MIN: f64 = 0.99;

/// What the generator knows of itself, over the window.
#[derive(Debug, Clone, Copy)]
pub struct Generator<'a> {
    /// Of one core, for each thread, in [0, 1].
    pub busy_shares: &'a [f64],
    /// How many cores the threads share.
    pub cores: usize,
    /// Of an open loop; `None` for a closed loop, which offers no rate.
    pub open_loop: Option<OpenLoop<'a>>,
}

/// What an open loop planned, and what came of it.
#[derive(Debug, Clone, Copy)]
pub struct OpenLoop<'a> {
    /// Sent − due of every message.
    pub send_delay_ns: &'a Histogram,
    /// What was due.
    pub offered_rate_per_s: f64,
    /// What the generator tried to send, whether or not the peer had room.
    pub sent_rate_per_s: f64,
    /// What was answered as fast as it was due: `achieved_share` in `docs/methodology.md`.
    pub sustained_rate_per_s: f64,
}

/// How the generator was the limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GeneratorLimit {
    /// It did not send what was due.
    Behind {
        /// What was due.
        offered_rate_per_s: f64,
        /// What it tried to send.
        sent_rate_per_s: f64,
    },
    /// It sent too late: response times are its own doing.
    Late {
        /// At `SEND_DELAY_QUANTILE`.
        send_delay_ns: Nanos,
    },
    /// A thread had no room left, and the loop is closed or less than what was offered was sustained.
    Busy {
        /// The busiest, from 0.
        thread: usize,
        /// Of one core.
        busy_share: f64,
    },
    /// The same of all threads together, which are more than their cores.
    Crowded {
        /// That they share.
        cores: usize,
        /// Of all of them.
        busy_share: f64,
    },
}

/// Judges whether the generator was the limit, and how; `None` where it was not.
///
/// The first that holds of: it sent less than `ACHIEVED_SHARE_MIN` of what was offered; its
/// send delay at `SEND_DELAY_QUANTILE` was above `SEND_DELAY_NS_MAX`; it was busy for `BUSY_SHARE_MAX`
/// or more, in a closed loop, or while less than `ACHIEVED_SHARE_MIN` of what was offered was
/// sustained. A generator that is busy and yet sends everything on time has limited nothing.
#[must_use]
pub fn generator_limited(generator: &Generator<'_>) -> Option<GeneratorLimit> {
    let Some(open_loop) = &generator.open_loop else {
        return busiest(generator);
    };
    let rate_to_keep = open_loop.offered_rate_per_s * ACHIEVED_SHARE_MIN;
    if open_loop.sent_rate_per_s < rate_to_keep {
        return Some(GeneratorLimit::Behind {
            offered_rate_per_s: open_loop.offered_rate_per_s,
            sent_rate_per_s: open_loop.sent_rate_per_s,
        });
    }
    let send_delay_ns = open_loop
        .send_delay_ns
        .duration_at_quantile(SEND_DELAY_QUANTILE);
    if let Some(send_delay_ns) =
        send_delay_ns.filter(|&send_delay_ns| send_delay_ns > SEND_DELAY_NS_MAX)
    {
        return Some(GeneratorLimit::Late { send_delay_ns });
    }
    if open_loop.sustained_rate_per_s < rate_to_keep {
        return busiest(generator);
    }
    None
}

/// The busiest thread, if it had no room left; or all, if their cores had none.
#[expect(clippy::cast_precision_loss, reason = "no machine has that many cores")]
fn busiest(generator: &Generator<'_>) -> Option<GeneratorLimit> {
    let Generator {
        busy_shares, cores, ..
    } = *generator;
    let (thread, &busy_share) = busy_shares
        .iter()
        .enumerate()
        .max_by(|(_, left), (_, right)| left.total_cmp(right))?;
    if busy_share >= BUSY_SHARE_MAX {
        return Some(GeneratorLimit::Busy { thread, busy_share });
    }
    let busy_share = busy_shares.iter().sum::<f64>() / cores.max(1) as f64;
    let is_crowded = busy_shares.len() > cores && busy_share >= BUSY_SHARE_MAX;
    is_crowded.then_some(GeneratorLimit::Crowded { cores, busy_share })
}
