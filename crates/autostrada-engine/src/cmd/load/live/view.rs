//! The picture of a load that is running: lines of text.

use std::fmt::Write as _;

use autostrada_measure::Nanos;

use super::progress::{Progress, Second};
use crate::cmd::load::bars::cells;
use crate::cmd::load::number_format::{
    NAME_WIDTH, duration_ns, named, percent, whole_number, wrapped,
};

/// Height of the chart of rates.
const RATES_HEIGHT: usize = 3;

/// Eighths of a cell.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Shades of the heat map, from no time to at least half of a second's times.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];

/// Returns the lines of the picture at an instant, for a terminal of this size.
pub fn picture(progress: &Progress, now: Nanos, width: usize, height: usize) -> Vec<String> {
    let mut lines = facts(progress, now, width);
    lines.extend(rates(progress, width));
    let left = height.saturating_sub(lines.len());
    lines.extend(times(progress, width, left));
    lines.truncate(height);
    for line in &mut lines {
        *line = line.chars().take(width).collect();
    }
    lines
}

/// Returns the lines above the charts.
fn facts(progress: &Progress, now: Nanos, width: usize) -> Vec<String> {
    let phase = progress.phase(now);
    let mut lines = wrapped(&progress.title, width);
    lines.extend(wrapped(&keys(progress), width));
    lines.push(String::new());
    let mut add = |name: &str, text: &str| lines.extend(named(name, text, width));
    let left = phase.left_ns.map_or_else(String::new, |left_ns| {
        format!(" {} s left", left_ns.div_ceil(1_000_000_000))
    });
    let name = if progress.is_stopping {
        "stopping"
    } else {
        phase.name
    };
    let bar_width = width.saturating_sub(NAME_WIDTH + 14).min(48);
    add(name, &(bar(phase.done, bar_width) + &left));
    let connecting = progress.connections.saturating_sub(progress.opened);
    let mut connections = format!("{} open", whole_number(progress.open()));
    for (count, state) in [(connecting, "connecting"), (progress.closed, "closed")] {
        if count > 0 {
            let _ = write!(connections, ", {} {state}", whole_number(count));
        }
    }
    add("connections", &connections);
    if let Some(last) = progress.seconds.back() {
        let mut rate = format!("{}/s received", whole_number(last.messages));
        if last.sent > 0 {
            let _ = write!(rate, ", {}/s sent", whole_number(last.sent));
        }
        add("messages", &rate);
        if !last.quantiles.is_empty() {
            add("time", &last.quantiles);
        }
        let busy = format!("{} of a core", percent(last.utilization));
        add("load generator", &busy);
    }
    if let Some(server) = &progress.server {
        add("server", server);
    }
    let failures = progress.failures.iter();
    let failures: Vec<_> = failures
        .map(|(kind, count)| format!("{} × {kind}", whole_number(*count)))
        .collect();
    if failures.is_empty() {
        add("failures", "none");
    } else {
        add("failures", &failures.join(", "));
    }
    lines
}

/// Returns what keys do, and what they have done.
fn keys(progress: &Progress) -> String {
    let Some(factor) = progress.factor else {
        return "q stops and reports".to_owned();
    };
    let state = if progress.is_paused {
        ": paused".to_owned()
    } else if (factor - 1.0).abs() < f64::EPSILON {
        String::new()
    } else {
        format!(": {} of what was asked for", percent(factor))
    };
    format!("+ - change the rate, p pauses, q stops and reports{state}")
}

/// Draws how many messages were received in each second.
fn rates(progress: &Progress, width: usize) -> Vec<String> {
    let messages: Vec<_> = newest(progress, width)
        .map(|second| second.messages)
        .collect();
    let most = messages.iter().copied().max().unwrap_or(0);
    if messages.is_empty() {
        return Vec::new();
    }
    let title = format!("messages a second, at most {}", whole_number(most));
    let mut lines = vec![String::new(), title];
    for row in (0..RATES_HEIGHT).rev() {
        let cells = messages.iter().map(|count| {
            let eighths = count * 8 * RATES_HEIGHT as u64 / most.max(1);
            let above = eighths.saturating_sub(8 * row as u64).min(8);
            BARS[usize::try_from(above).expect("at most 8")]
        });
        lines.push(" ".repeat(NAME_WIDTH) + &cells.collect::<String>());
    }
    lines
}

/// Draws which times occurred in each second: a column a second, long times at the top.
fn times(progress: &Progress, width: usize, height: usize) -> Vec<String> {
    let columns: Vec<_> = newest(progress, width)
        .map(|second| &second.times)
        .collect();
    let powers = || columns.iter().flat_map(|times| times.keys().copied());
    let title = "response time, or delivery time, of each second";
    let mut lines = vec![String::new(), title.to_owned()];
    let rows_max = u32::try_from(height.saturating_sub(lines.len())).unwrap_or(u32::MAX);
    let (Some(lowest), Some(highest), 1..) = (powers().min(), powers().max(), rows_max) else {
        return Vec::new();
    };
    // As many powers of two in a row as are needed for all rows to fit.
    let step = (highest - lowest + 1).div_ceil(rows_max);
    for row in (0..=(highest - lowest) / step).rev() {
        let first = lowest + row * step;
        let below = 2_u64.saturating_pow(first + step);
        let axis = format!("< {}  ", duration_ns(below));
        let shades = columns.iter().map(|times| {
            let here = times.range(first..first + step).map(|(_, count)| count);
            shade(here.sum(), times.values().sum())
        });
        lines.push(format!("{axis:>NAME_WIDTH$}{}", shades.collect::<String>()));
    }
    lines
}

/// Returns the newest seconds, as many as have a column.
fn newest(progress: &Progress, width: usize) -> impl Iterator<Item = &Second> {
    let columns = width.saturating_sub(NAME_WIDTH);
    let skipped = progress.seconds.len().saturating_sub(columns);
    progress.seconds.iter().skip(skipped)
}

/// Returns the shade of a part of the times of a second. A single time is visible.
fn shade(part: u64, all: u64) -> char {
    let thousandths = part.saturating_mul(1_000).checked_div(all).unwrap_or(0);
    SHADES[match thousandths {
        _ if part == 0 => 0,
        ..10 => 1,
        10..100 => 2,
        100..500 => 3,
        _ => 4,
    }]
}

/// Returns a bar of a width, of which a share is done.
fn bar(done: f64, width: usize) -> String {
    let full = cells((width as f64 * done).round());
    "█".repeat(full) + &"░".repeat(width.saturating_sub(full))
}

#[cfg(test)]
#[path = "tests/view.rs"]
mod tests;
