//! Tests of `seconds.rs`.

use super::*;

/// Reports a total of `messages`, and the delivery times recorded since the last report.
fn report(seconds: &mut Seconds, messages: u64, delivered_ns: &[Nanos], now: Nanos) {
    let mut records = Records::default();
    records.count(messages, messages * 11, 0);
    let mut latencies = Latencies::default();
    for &duration_ns in delivered_ns {
        latencies.delivery_time_ns.record(duration_ns).unwrap();
    }
    seconds.report(
        Tally::of(&records, &ConnectionStats::default(), 0),
        &mut latencies,
        now,
    );
    assert_eq!(latencies.delivery_time_ns.count(), 0);
}

#[test]
fn a_second_is_what_came_since_the_one_before() {
    let (mut threads, events, mut sum) = seconds(1);
    let thread = &mut threads[0];
    report(thread, 5, &[], 10);
    thread.begin(1_000);
    report(thread, 7, &[3, 3], 1_000_001_000);
    report(thread, 7, &[], 2_000_001_000);
    report(thread, 9, &[3, 8], 3_000_001_000);
    drop(threads);
    for event in &events {
        sum.add(event);
    }
    let rows: Vec<_> = std::iter::from_fn(|| sum.take()).collect();
    let messages: Vec<_> = rows
        .iter()
        .map(|row| (row.second, row.tally.messages))
        .collect();
    assert_eq!(messages, [(0, 7), (1, 0), (2, 2)]);
    let delivered: Vec<_> = rows.into_iter().map(|row| row.delivery_time_ns).collect();
    assert_eq!(delivered, [vec![(3, 2)], vec![], vec![(3, 1), (8, 1)]]);
    assert_eq!(sum.reported.delivery_time_ns.count(), 4);
}

#[test]
fn the_seconds_of_two_threads_are_added() {
    let (mut threads, events, mut sum) = seconds(2);
    threads[0].begin(0);
    threads[1].begin(500_000_000);
    report(&mut threads[0], 3, &[5], 2_000_000_000);
    report(&mut threads[1], 4, &[5, 6], 1_000_000_000);
    for event in events.try_iter() {
        sum.add(event);
    }
    let whole = sum.take().unwrap();
    assert_eq!(whole.tally.messages, 7);
    assert_eq!(whole.delivery_time_ns, [(5, 2), (6, 1)]);
    assert!(sum.take().is_none(), "one thread has still to report it");
    threads.pop();
    for event in events.try_iter() {
        sum.add(event);
    }
    assert_eq!(sum.take().map(|row| row.second), Some(1));
}

#[test]
fn a_thread_without_connections_reports_seconds_too() {
    let (mut threads, events, mut sum) = seconds(2);
    assert_eq!(threads[1].ends_at(), Nanos::MAX);
    threads[0].begin(1_000);
    for thread in &mut threads {
        report(thread, 1, &[], 1_000_001_000);
    }
    for event in events.try_iter() {
        sum.add(event);
    }
    assert_eq!(sum.take().map(|row| row.tally.messages), Some(2));
}
