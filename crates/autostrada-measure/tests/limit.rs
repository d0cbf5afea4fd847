//! Detection of the load generator as the bottleneck: behind schedule, late, busy, or none.

use autostrada_measure::{Generator, Histogram, OpenLoop, generator_limited};

/// Send delays of 1,000 messages: `late` of 5 ms, the others of 20 µs.
fn delayed(late: u64) -> Histogram {
    let mut histogram = Histogram::new();
    histogram.record_many(20_000, 1_000 - late).unwrap();
    histogram.record_many(5_000_000, late).unwrap();
    histogram
}

fn open_loop(
    send_delay_ns: &Histogram,
    sent_rate_per_s: f64,
    sustained_rate_per_s: f64,
) -> OpenLoop<'_> {
    OpenLoop {
        send_delay_ns,
        offered_rate_per_s: 1_000.0,
        sent_rate_per_s,
        sustained_rate_per_s,
    }
}

/// What limits a load whose threads are busy for these shares, on two cores.
fn limit(utilizations: &[f64], open_loop: Option<OpenLoop<'_>>) -> Option<String> {
    generator_limited(&Generator {
        utilizations,
        cores: 2,
        open_loop,
    })
}

#[test]
fn a_generator_that_sends_on_time_is_not_the_limit_even_if_busy() {
    let send_delay_ns = delayed(10);
    for utilizations in [[0.1, 0.2], [0.99, 1.0]] {
        let open_loop = open_loop(&send_delay_ns, 1_000.0, 995.0);
        assert_eq!(limit(&utilizations, Some(open_loop)), None);
    }
}

#[test]
fn a_generator_that_does_not_send_due_messages_is_behind() {
    let send_delay_ns = delayed(500);
    let open_loop = open_loop(&send_delay_ns, 900.0, 900.0);
    let expected = "sent 900 of 1000 messages a second";
    assert_eq!(limit(&[1.0], Some(open_loop)).as_deref(), Some(expected));
}

#[test]
fn a_generator_that_sends_too_late_is_the_limit_even_if_all_is_echoed() {
    let send_delay_ns = delayed(11);
    let open_loop = open_loop(&send_delay_ns, 1_000.0, 1_000.0);
    let expected = "p99 send delay 5.00 ms";
    assert_eq!(limit(&[0.3], Some(open_loop)).as_deref(), Some(expected));
}

#[test]
fn without_answers_the_generator_is_the_limit_only_if_it_is_busy() {
    let send_delay_ns = delayed(0);
    let open_loop = Some(open_loop(&send_delay_ns, 1_000.0, 400.0));
    assert_eq!(limit(&[0.5, 0.89], open_loop), None);
    let expected = "thread 1 was busy 95 % of the time";
    assert_eq!(
        limit(&[0.5, 0.95, 0.2], open_loop).as_deref(),
        Some(expected)
    );
}

#[test]
fn in_a_closed_loop_a_busy_thread_is_the_limit() {
    assert_eq!(limit(&[], None), None);
    assert_eq!(limit(&[0.89], None), None);
    let expected = "thread 0 was busy 90 % of the time";
    assert_eq!(limit(&[0.9, 0.1], None).as_deref(), Some(expected));
}

#[test]
fn more_threads_than_cores_are_the_limit_when_their_cores_are_busy() {
    assert_eq!(limit(&[0.5, 0.5, 0.5], None), None);
    let expected = "all threads together were busy 94 % of the time of 2 cores";
    assert_eq!(
        limit(&[0.625, 0.625, 0.625], None).as_deref(),
        Some(expected)
    );
}

#[test]
fn an_open_loop_without_a_message_is_not_late() {
    let send_delay_ns = Histogram::new();
    let open_loop = open_loop(&send_delay_ns, 1_000.0, 1_000.0);
    assert_eq!(limit(&[0.0], Some(open_loop)), None);
}
