//! Detection of the load generator as the bottleneck: behind schedule, late, busy, or none.

use autostrada_measure::{Generator, Histogram, OpenLoop, generator_limited};

/// Send delays of a number of messages, `late` of which are 5 ms and the others 20 µs.
fn delays(messages: u64, late: u64) -> Histogram {
    let mut histogram = Histogram::new();
    histogram.record_many(20_000, messages - late).unwrap();
    histogram.record_many(5_000_000, late).unwrap();
    histogram
}

/// What limits a generator whose threads are busy for these shares, on two cores.
fn limit(utilizations: &[f64], open_loop: Option<OpenLoop<'_>>) -> Option<String> {
    generator_limited(&Generator {
        utilizations,
        cores: 2,
        open_loop,
    })
}

#[test]
fn in_an_open_loop_it_must_send_all_on_time_and_may_be_busy_only_if_all_is_answered() {
    let behind = "sent 900 of 1000 messages a second";
    let late = "p99 send delay 5.00 ms";
    let busy = "thread 1 was busy 95 % of the time";
    for (utilizations, send_delay_ns, sent_rate_per_s, sustained_rate_per_s, expected) in [
        (
            [0.1, 0.2].as_slice(),
            delays(1_000, 10),
            1_000.0,
            995.0,
            None,
        ),
        (&[0.99, 1.0], delays(1_000, 10), 1_000.0, 995.0, None),
        (&[1.0], delays(1_000, 500), 900.0, 900.0, Some(behind)),
        (&[0.3], delays(1_000, 11), 1_000.0, 1_000.0, Some(late)),
        (&[0.5, 0.89], delays(1_000, 0), 1_000.0, 400.0, None),
        (
            &[0.5, 0.95, 0.2],
            delays(1_000, 0),
            1_000.0,
            400.0,
            Some(busy),
        ),
        // Without a message, none is late.
        (&[0.0], delays(0, 0), 1_000.0, 1_000.0, None),
    ] {
        let open_loop = OpenLoop {
            send_delay_ns: &send_delay_ns,
            offered_rate_per_s: 1_000.0,
            sent_rate_per_s,
            sustained_rate_per_s,
        };
        let limit = limit(utilizations, Some(open_loop));
        assert_eq!(limit.as_deref(), expected, "{utilizations:?}");
    }
}

#[test]
fn in_a_closed_loop_a_busy_thread_or_busy_cores_are_the_limit() {
    let thread = "thread 0 was busy 90 % of the time";
    let cores = "all threads together were busy 94 % of the time of 2 cores";
    let cases: [(&[f64], Option<&str>); 5] = [
        (&[], None),
        (&[0.89], None),
        (&[0.9, 0.1], Some(thread)),
        (&[0.5, 0.5, 0.5], None),
        (&[0.625, 0.625, 0.625], Some(cores)),
    ];
    for (utilizations, expected) in cases {
        assert_eq!(limit(utilizations, None).as_deref(), expected);
    }
}
