//! Tests of `view.rs`.

use std::collections::BTreeMap;

use super::*;
use crate::client::Timetable;

fn progress() -> Progress {
    let mut progress = Progress {
        title: "ws://localhost:8080/echo: 10 connections".to_owned(),
        connections: 10,
        opened: 10,
        closed: 1,
        failures: BTreeMap::from([("read", 1)]),
        server: Some("99.1 % of a core, 45.3 MB of memory".to_owned()),
        ..Progress::default()
    };
    for messages in [10, 80] {
        progress.seconds.push_back(Second {
            messages,
            sent: 81,
            utilization: 0.25,
            times: BTreeMap::from([(10, 70), (12, 9), (20, 1)]),
            quantiles: "p50 1.02 µs   p99 1.05 ms   max 1.05 ms".to_owned(),
        });
    }
    progress.timetable = Some(Timetable {
        started_at: 0,
        window: 0..10_000_000_000,
        drained_at: 15_000_000_000,
    });
    progress
}

fn lines(width: usize, height: usize, progress: &Progress) -> Vec<String> {
    picture(progress, 5_000_000_000, width, height)
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
    let drawn = lines(80, 24, &progress());
    let drawn: Vec<_> = drawn.iter().map(|line| line.trim_end()).collect();
    assert_eq!(drawn.join("\n"), expected);
}

#[test]
fn a_small_terminal_and_a_load_without_a_second_have_a_picture() {
    let empty = Progress {
        title: "what was asked".to_owned(),
        connections: 10,
        ..Progress::default()
    };
    for (width, height) in [(80, 24), (20, 5), (1, 1), (0, 0)] {
        for progress in [&empty, &progress()] {
            let drawn = lines(width, height, progress);
            assert!(drawn.len() <= height);
            assert!(drawn.iter().all(|line| line.chars().count() <= width));
        }
    }
    let drawn = lines(80, 24, &empty);
    assert!(drawn[3].starts_with("connecting      ░░░"), "{drawn:?}");
    assert_eq!(drawn[4], "connections     0 open, 10 connecting");
}

#[test]
fn facts_are_broken_between_words_in_a_narrow_terminal() {
    let mut progress = progress();
    progress.factor = Some(1.0);
    let drawn = lines(45, 24, &progress);
    let drawn: Vec<_> = drawn.iter().map(|line| line.trim_end()).collect();
    let keys = ["+ - change the rate, p pauses, q stops and", "reports"];
    assert_eq!(drawn[1..3], keys);
    let times = "time            p50 1.02 µs   p99 1.05 ms";
    assert!(drawn.contains(&times), "{drawn:?}");
    assert!(drawn.contains(&"                max 1.05 ms"), "{drawn:?}");
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
    let drawn: String = shades
        .iter()
        .map(|(part, all)| shade(*part, *all))
        .collect();
    assert_eq!(drawn, " ░▒▓█ ");
}
