//! Decides whether the load generator was the bottleneck, in which case its metrics are bounds.

use crate::{Histogram, Nanos};

/// Share of one core from which a thread counts as fully busy.
///
/// The same limit applies to servers (`docs/methodology.md`). Time in which a thread polls while it
/// waits must not count as busy.
const UTILIZATION_MAX: f64 = 0.9;

/// The quantile at which the send delay is judged.
const SEND_DELAY_QUANTILE: f64 = 0.99;

/// Largest acceptable send delay at that quantile: one millisecond, in nanoseconds.
///
/// This is five times the engine's own target at the quantile 0.999 on an idle core, and too short
/// to be visible to a person or in a chart. Response times include the send delay.
const SEND_DELAY_NS_MAX: Nanos = 1_000_000;

/// Share of the offered rate from which a rate counts as sustained.
const ACHIEVED_SHARE_MIN: f64 = 0.99;

/// The load generator's own metrics over the window.
#[derive(Debug, Clone, Copy)]
pub struct Generator<'a> {
    /// Utilization of one core for each thread, from 0 to 1.
    pub utilizations: &'a [f64],
    /// Number of cores that the threads share.
    pub cores: usize,
    /// Rates of an open loop; `None` for a closed loop, which has no offered rate.
    pub open_loop: Option<OpenLoop<'a>>,
}

/// The rates and the send delay of an open loop.
#[derive(Debug, Clone, Copy)]
pub struct OpenLoop<'a> {
    /// Send delay of every message, in nanoseconds.
    pub send_delay_ns: &'a Histogram,
    /// Messages due per second.
    pub offered_rate_per_s: f64,
    /// Messages per second that the generator tried to send, whether or not the socket had room.
    pub sent_rate_per_s: f64,
    /// Messages per second that were answered (`achieved_share` in `docs/methodology.md`).
    pub sustained_rate_per_s: f64,
}

/// Says how the load generator was the bottleneck; `None` if it was not.
///
/// Returns the first condition that is met:
///
/// 1. it sent less than `ACHIEVED_SHARE_MIN` of the offered rate;
/// 2. its send delay at `SEND_DELAY_QUANTILE` exceeded `SEND_DELAY_NS_MAX`;
/// 3. it was busy for `UTILIZATION_MAX` or more, in a closed loop, or while less than
///    `ACHIEVED_SHARE_MIN` of the offered rate was sustained.
///
/// A busy generator that sends everything on time, with the offered rate sustained, is no
/// bottleneck.
pub fn generator_limited(generator: &Generator<'_>) -> Option<String> {
    let Some(open_loop) = &generator.open_loop else {
        return busiest(generator);
    };
    let (sent, offered) = (open_loop.sent_rate_per_s, open_loop.offered_rate_per_s);
    let rate_to_keep = offered * ACHIEVED_SHARE_MIN;
    if sent < rate_to_keep {
        return Some(format!("sent {sent:.0} of {offered:.0} messages a second"));
    }
    let send_delay_ns = open_loop
        .send_delay_ns
        .duration_at_quantile(SEND_DELAY_QUANTILE);
    if let Some(late_ns) = send_delay_ns.filter(|&late_ns| late_ns > SEND_DELAY_NS_MAX) {
        return Some(format!("p99 send delay {:.2} ms", late_ns as f64 / 1e6));
    }
    if open_loop.sustained_rate_per_s < rate_to_keep {
        return busiest(generator);
    }
    None
}

/// Names the busiest thread if it was fully busy, or all threads if their cores were.
fn busiest(generator: &Generator<'_>) -> Option<String> {
    let Generator {
        utilizations,
        cores,
        ..
    } = *generator;
    let (thread, &utilization) = utilizations
        .iter()
        .enumerate()
        .max_by(|(_, left), (_, right)| left.total_cmp(right))?;
    if utilization >= UTILIZATION_MAX {
        let percent = utilization * 100.0;
        return Some(format!(
            "thread {thread} was busy {percent:.0} % of the time"
        ));
    }
    let utilization = utilizations.iter().sum::<f64>() / cores.max(1) as f64;
    let is_crowded = utilizations.len() > cores && utilization >= UTILIZATION_MAX;
    let percent = utilization * 100.0;
    is_crowded.then(|| {
        format!("all threads together were busy {percent:.0} % of the time of {cores} cores")
    })
}
