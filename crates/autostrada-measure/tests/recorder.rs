//! Recorders: a stall counts for every message due during it, and merging is exact.

use autostrada_measure::{ConnectionTimes, Histogram, Opening, Rate, Recorder, Schedule, Share};

#[test]
fn a_stall_delays_every_message_due_during_it() {
    let rate = Rate::per_second(1_000.0).unwrap();
    let mut arrivals = Schedule::Constant { rate }.arrivals(Share::new(0, 1, 1));
    let mut recorder = Recorder::default();
    for _ in 0..1_000 {
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

#[test]
fn merging_parts_equals_recording_together() {
    let mut together = Recorder::default();
    let mut parts = [Recorder::default(), Recorder::default()];
    for number in 0..20 {
        for recorder in [&mut together, &mut parts[number % 2]] {
            let (due, sent) = (7, 7 + number as u64 * 1_000);
            recorder.record_sent(due, sent).unwrap();
            recorder.record_echoed(due, sent, sent + 5_000_000).unwrap();
        }
    }
    let [mut merged, other] = parts;
    merged.merge(&other);
    assert_eq!(merged, together);
    merged.clear();
    assert_eq!(merged, Recorder::default());
}
