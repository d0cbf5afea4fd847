//! The picture of a load that is running.

use std::fmt::Write as _;

use autostrada_measure::Nanos;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Sparkline};

use super::progress::Progress;
use crate::cmd::load::written::{duration_ns, percent, whole_number};

/// Width of the names, and of the axis, at the beginning of each line.
const NAME_WIDTH: u16 = 16;

/// Height of the line of rates.
const RATES_HEIGHT: u16 = 3;

/// Shades of the heat map, from no time to at least half of a second's times.
const SHADES: [&str; 5] = [" ", "░", "▒", "▓", "█"];

/// Draws the picture at an instant.
pub fn draw(frame: &mut Frame<'_>, progress: &Progress, now: Nanos) {
    let facts = facts(progress, now, frame.area().width);
    let [top, rates, times] = Layout::vertical([
        Constraint::Length(u16::try_from(facts.len()).unwrap_or(u16::MAX)),
        Constraint::Length(RATES_HEIGHT + 2),
        Constraint::Min(0),
    ])
    .areas(frame.area());
    frame.render_widget(Paragraph::new(facts), top);
    draw_rates(frame, progress, rates);
    draw_times(frame, progress, times);
}

/// Returns the lines above the charts.
fn facts(progress: &Progress, now: Nanos, width: u16) -> Vec<Line<'static>> {
    let phase = progress.phase(now);
    let mut lines = vec![
        Line::from(progress.asked.clone()).bold(),
        Line::from(keys(progress)).dim(),
        Line::default(),
    ];
    let mut add = |name: &str, text: String| {
        lines.push(Line::from(vec![
            Span::from(format!("{name:0$}", usize::from(NAME_WIDTH))).dim(),
            Span::from(text),
        ]));
    };
    let left = phase.left_ns.map_or_else(String::new, |left_ns| {
        format!(" {:.0} s left", seconds(left_ns).ceil())
    });
    let name = if progress.is_stopping {
        "stopping"
    } else {
        phase.name
    };
    let bar_width = width.saturating_sub(NAME_WIDTH + 14).min(48);
    add(name, bar(phase.done, bar_width) + &left);
    let connecting = progress.connections.saturating_sub(progress.opened);
    let mut connections = format!("{} open", whole_number(progress.open()));
    for (count, state) in [(connecting, "connecting"), (progress.closed, "closed")] {
        if count > 0 {
            let _ = write!(connections, ", {} {state}", whole_number(count));
        }
    }
    add("connections", connections);
    if let Some(last) = progress.seconds.back() {
        let mut rate = format!("{}/s received", whole_number(last.messages));
        if last.sent > 0 {
            let _ = write!(rate, ", {}/s sent", whole_number(last.sent));
        }
        add("messages", rate);
        if !last.quantiles.is_empty() {
            add("time", last.quantiles.clone());
        }
        add(
            "load generator",
            format!("{} of a core", percent(last.busy_share)),
        );
    }
    if let Some(server) = &progress.server {
        add("server", server.clone());
    }
    let failures = progress.failures.iter();
    let failures: Vec<_> = failures
        .map(|(kind, count)| format!("{} × {kind}", whole_number(*count)))
        .collect();
    if failures.is_empty() {
        add("failures", "none".to_owned());
    } else {
        add("failures", failures.join(", "));
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
fn draw_rates(frame: &mut Frame<'_>, progress: &Progress, area: Rect) {
    let most = progress.seconds.iter().map(|second| second.messages).max();
    let Some(most) = most else { return };
    let [_, title, chart] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(RATES_HEIGHT),
    ])
    .areas(area);
    let text = format!("messages a second, at most {}", whole_number(most));
    frame.render_widget(Paragraph::new(text).dim(), title);
    let [_, chart] =
        Layout::horizontal([Constraint::Length(NAME_WIDTH), Constraint::Min(0)]).areas(chart);
    let width = usize::from(chart.width);
    let skipped = progress.seconds.len().saturating_sub(width);
    let newest = progress.seconds.iter().skip(skipped);
    let rates: Vec<_> = newest.map(|second| second.messages).collect();
    frame.render_widget(Sparkline::default().data(rates.as_slice()).max(most), chart);
}

/// Draws which times occurred in each second: a column a second, long times at the top.
fn draw_times(frame: &mut Frame<'_>, progress: &Progress, area: Rect) {
    let [_, title, chart] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(0),
    ])
    .areas(area);
    let width = usize::from(chart.width.saturating_sub(NAME_WIDTH));
    let skipped = progress.seconds.len().saturating_sub(width);
    let columns: Vec<_> = progress
        .seconds
        .iter()
        .skip(skipped)
        .map(|second| &second.times)
        .collect();
    let lowest = columns.iter().filter_map(|times| times.keys().min()).min();
    let highest = columns.iter().filter_map(|times| times.keys().max()).max();
    let (Some(&lowest), Some(&highest)) = (lowest, highest) else {
        return;
    };
    if chart.height == 0 {
        return;
    }
    let text = "response time, or delivery time, of each second";
    frame.render_widget(Paragraph::new(text).dim(), title);
    // As many powers of two in a row as are needed for all rows to fit.
    let step = (highest - lowest + 1).div_ceil(u32::from(chart.height));
    let rows = (highest - lowest) / step + 1;
    let lines: Vec<_> = (0..rows)
        .rev()
        .map(|row| {
            let first = lowest + row * step;
            let below = 2_u64.saturating_pow(first + step);
            let axis = format!("< {}  ", duration_ns(below));
            let shades = columns.iter().map(|times| {
                let all: u64 = times.values().sum();
                let here: u64 = times
                    .range(first..first + step)
                    .map(|(_, count)| count)
                    .sum();
                shade(here, all)
            });
            Line::from(vec![
                Span::from(format!("{axis:>0$}", usize::from(NAME_WIDTH))).dim(),
                Span::styled(shades.collect::<String>(), Style::new().yellow()),
            ])
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), chart);
}

/// Returns the shade of a part of the times of a second. A single time is visible.
fn shade(part: u64, all: u64) -> &'static str {
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
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a bar is short"
)]
fn bar(done: f64, width: u16) -> String {
    let full = (f64::from(width) * done).round() as usize;
    "█".repeat(full) + &"░".repeat(usize::from(width).saturating_sub(full))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "durations are shorter than a day"
)]
fn seconds(duration_ns: Nanos) -> f64 {
    duration_ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::buffer::Cell;

    use super::super::progress::Second;
    use super::*;
    use crate::client::Timetable;

    fn progress() -> Progress {
        let mut progress = Progress::new("ws://localhost:8080/echo: 10 connections".to_owned(), 10);
        progress.opened = 10;
        progress.closed = 1;
        progress.failures = BTreeMap::from([("read", 1)]);
        progress.server = Some("99.1 % of a core, 45.3 MB of memory".to_owned());
        for messages in [10, 80] {
            progress.seconds.push_back(Second {
                messages,
                sent: 81,
                busy_share: 0.25,
                times: BTreeMap::from([(10, 70), (12, 9), (20, 1)]),
                quantiles: "p50 1.02 µs   p99 1.05 ms   max 1.05 ms".to_owned(),
            });
        }
        progress.start(&Timetable {
            started_at: 0,
            window: 0..10_000_000_000,
            drained_at: 15_000_000_000,
        });
        progress
    }

    /// Returns the lines of the picture, without blanks at their ends.
    fn picture(width: u16, height: u16, progress: &Progress) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal
            .draw(|frame| draw(frame, progress, 5_000_000_000))
            .unwrap();
        let buffer = terminal.backend().buffer();
        let symbols = buffer.content().iter().map(Cell::symbol);
        let symbols: Vec<_> = symbols.collect();
        symbols
            .chunks(usize::from(width))
            .map(|line| line.concat().trim_end().to_owned())
            .collect()
    }

    #[test]
    fn the_picture_has_the_phase_the_last_second_and_two_charts() {
        let expected = "\
ws://localhost:8080/echo: 10 connections
q stops and reports

measuring       ████████████████████████░░░░░░░░░░░░░░░░░░░░░░░░ 5 s left
connections     9 open, 1 closed
messages        80/s received, 81/s sent
time            p50 1.02 µs   p99 1.05 ms   max 1.05 ms
load generator  25.0 % of a core
server          99.1 % of a core, 45.3 MB of memory
failures        1 × read

messages a second, at most 80
                 █
                 █
                ▃█

response time, or delivery time, of each second
     < 4.19 ms  ▒▒
     < 1.05 ms
      < 262 µs
     < 65.5 µs
     < 16.4 µs  ▓▓
     < 4.10 µs  ██";
        let lines = picture(80, 24, &progress());
        assert_eq!(lines.len(), 24);
        assert_eq!(lines.join("\n").trim_end(), expected);
    }

    #[test]
    fn a_small_terminal_and_a_load_without_a_second_have_a_picture() {
        let empty = Progress::new("what was asked".to_owned(), 10);
        for (width, height) in [(80, 24), (20, 5), (1, 1)] {
            assert_eq!(picture(width, height, &empty).len(), usize::from(height));
            assert_eq!(
                picture(width, height, &progress()).len(),
                usize::from(height)
            );
        }
        let lines = picture(80, 24, &empty);
        assert!(lines[3].starts_with("connecting      ░░░"), "{lines:?}");
        assert_eq!(lines[4], "connections     0 open, 10 connecting");
    }

    #[test]
    fn a_single_time_is_visible() {
        let shades = [
            (0, 1_000),
            (1, 1_000),
            (10, 1_000),
            (100, 1_000),
            (500, 1_000),
            (0, 0),
        ];
        let drawn = shades.map(|(part, all)| shade(part, all)).concat();
        assert_eq!(drawn, " ░▒▓█ ");
    }
}
