//! Recorders: a stall counts for every message due during it, and merging is exact.

use autostrada_measure::{ConnectionTimes, Histogram, Opening, Rate, Recorder, Schedule, Share};
use proptest::prelude::*;

#[test]
fn a_stall_delays_every_message_due_during_it() {
    let rate = Rate::per_second(1_000.0).unwrap();
    let mut arrivals = Schedule::Constant { rate }.arrivals(Share::new(0, 1, 1));
    let mut recorder = Recorder::default();
    while arrivals.taken() < 1_000 {
        let due = arrivals.next_due().unwrap();
        arrivals.advance();
        let sent = due.max(1_000_000_000);
        recorder.record_sent(due, sent).unwrap();
        recorder.record_echoed(due, sent, sent + 10_000).unwrap();
    }
    let median = |histogram: &Histogram| histogram.duration_at_quantile(0.5).unwrap();
    assert!(median(&recorder.service_time_ns) < 20_000);
    assert!(median(&recorder.response_time_ns) > 490_000_000);
    assert!(median(&recorder.send_delay_ns) > 490_000_000);
}

#[test]
fn a_stall_of_the_peer_delays_messages_that_were_sent_on_time() {
    // Messages are sent when due and all echoed when the peer resumes after a second.
    let mut recorder = Recorder::default();
    for number in 0..1_000 {
        let due = number * 1_000_000;
        recorder.record_sent(due, due).unwrap();
        recorder.record_echoed(due, due, 1_000_000_000).unwrap();
    }
    let slowest = recorder.response_time_ns.duration_at_quantile(1.0).unwrap();
    assert!(slowest >= 1_000_000_000);
    assert_eq!(recorder.response_time_ns, recorder.service_time_ns);
    assert_eq!(recorder.send_delay_ns.duration_at_quantile(1.0), Some(0));
}

#[test]
#[should_panic(expected = "message sent before it was due")]
fn a_message_cannot_be_sent_before_it_is_due() {
    let _ = Recorder::default().record_sent(2, 1);
}

#[test]
#[should_panic(expected = "message echoed before it was sent")]
fn a_message_cannot_be_echoed_before_it_is_sent() {
    let _ = Recorder::default().record_echoed(1, 3, 2);
}

#[test]
fn a_latency_of_more_than_an_hour_is_an_error_and_is_not_recorded() {
    let mut recorder = Recorder::default();
    assert!(recorder.record_sent(0, u64::MAX).is_err());
    assert!(recorder.record_echoed(0, 1, u64::MAX).is_err());
    assert_eq!(recorder, Recorder::default());
}

#[test]
fn connection_time_is_split_into_phases_and_starts_when_due() {
    let secure = Opening {
        due: 100,
        begun: 150,
        connected: 250,
        secured: Some(650),
        is_resumed: false,
        opened: 1_450,
    };
    let plain = Opening {
        secured: None,
        ..secure
    };
    let mut times = ConnectionTimes::default();
    times.record(plain).unwrap();
    let mut others = ConnectionTimes::default();
    others.record(secure).unwrap();
    times.merge(&others);
    let buckets = |histogram: &Histogram| histogram.buckets().collect::<Vec<_>>();
    assert_eq!(buckets(&times.tcp_time_ns), [(100, 2)]);
    assert_eq!(buckets(&times.tls_time_ns), [(400, 1)]);
    assert_eq!(buckets(&times.upgrade_time_ns), [(800, 1), (1_200, 1)]);
    assert_eq!(buckets(&times.response_time_ns), [(1_350, 2)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn merging_parts_equals_recording_together(
        durations in prop::collection::vec(0..10_000_000_000_u64, 0..200),
        parts in 1..5_usize,
    ) {
        let mut together = Recorder::default();
        let mut by_thread = vec![Recorder::default(); parts];
        for (index, &duration_ns) in durations.iter().enumerate() {
            for recorder in [&mut together, &mut by_thread[index % parts]] {
                recorder.record_sent(7, 7 + duration_ns / 3).unwrap();
                recorder.record_echoed(7, 7 + duration_ns / 3, 7 + duration_ns).unwrap();
            }
        }
        let mut merged = Recorder::default();
        for recorder in &by_thread {
            merged.merge(recorder);
        }
        prop_assert_eq!(merged, together);
    }
}
