//! Detection of the load generator as the bottleneck: behind schedule, late, busy, or none.

use autostrada_measure::{Generator, GeneratorLimit, Histogram, OpenLoop, generator_limited};

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

#[test]
fn a_generator_that_sends_on_time_is_not_the_limit_even_if_busy() {
    let send_delay_ns = delayed(10);
    for utilizations in [[0.1, 0.2], [0.99, 1.0]] {
        let generator = Generator {
            utilizations: &utilizations,
            cores: 2,
            open_loop: Some(open_loop(&send_delay_ns, 1_000.0, 995.0)),
        };
        assert_eq!(generator_limited(&generator), None);
    }
}

#[test]
fn a_generator_that_does_not_send_due_messages_is_behind() {
    let send_delay_ns = delayed(500);
    let generator = Generator {
        utilizations: &[1.0],
        cores: 2,
        open_loop: Some(open_loop(&send_delay_ns, 900.0, 900.0)),
    };
    let expected = GeneratorLimit::Behind {
        offered_rate_per_s: 1_000.0,
        sent_rate_per_s: 900.0,
    };
    assert_eq!(generator_limited(&generator), Some(expected));
}

#[test]
fn a_generator_that_sends_too_late_is_the_limit_even_if_all_is_echoed() {
    let send_delay_ns = delayed(11);
    let generator = Generator {
        utilizations: &[0.3],
        cores: 2,
        open_loop: Some(open_loop(&send_delay_ns, 1_000.0, 1_000.0)),
    };
    let Some(GeneratorLimit::Late { send_delay_ns }) = generator_limited(&generator) else {
        panic!("11 of 1,000 are more than one percent");
    };
    assert!(send_delay_ns >= 5_000_000);
}

#[test]
fn without_answers_the_generator_is_the_limit_only_if_it_is_busy() {
    let send_delay_ns = delayed(0);
    let open_loop = Some(open_loop(&send_delay_ns, 1_000.0, 400.0));
    let idle = Generator {
        utilizations: &[0.5, 0.89],
        cores: 2,
        open_loop,
    };
    assert_eq!(generator_limited(&idle), None);
    let busy = Generator {
        utilizations: &[0.5, 0.95, 0.2],
        cores: 2,
        open_loop,
    };
    let expected = GeneratorLimit::Busy {
        thread: 1,
        utilization: 0.95,
    };
    assert_eq!(generator_limited(&busy), Some(expected));
}

#[test]
fn in_a_closed_loop_a_busy_thread_is_the_limit() {
    let closed = |utilizations| {
        generator_limited(&Generator {
            utilizations,
            cores: 2,
            open_loop: None,
        })
    };
    assert_eq!(closed(&[]), None);
    assert_eq!(closed(&[0.89]), None);
    let expected = GeneratorLimit::Busy {
        thread: 0,
        utilization: 0.9,
    };
    assert_eq!(closed(&[0.9, 0.1]), Some(expected));
}

#[test]
fn more_threads_than_cores_are_the_limit_when_their_cores_are_busy() {
    let closed = |utilizations| {
        generator_limited(&Generator {
            utilizations,
            cores: 2,
            open_loop: None,
        })
    };
    assert_eq!(closed(&[0.5, 0.5, 0.5]), None);
    let expected = GeneratorLimit::Crowded {
        cores: 2,
        utilization: 0.9375,
    };
    assert_eq!(closed(&[0.625, 0.625, 0.625]), Some(expected));
}

#[test]
fn an_open_loop_without_a_message_is_not_late() {
    let send_delay_ns = Histogram::new();
    let generator = Generator {
        utilizations: &[0.0],
        cores: 2,
        open_loop: Some(open_loop(&send_delay_ns, 1_000.0, 1_000.0)),
    };
    assert_eq!(generator_limited(&generator), None);
}
