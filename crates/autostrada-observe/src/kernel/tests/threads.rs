//! Tests of `threads.rs`.

use super::*;

fn found(threads: &[(i32, u64)]) -> BTreeMap<i32, Usage> {
    let switches = |&(thread, voluntary)| {
        let usage = Usage {
            switches_voluntary: voluntary,
            switches_forced: 2 * voluntary,
            ..Usage::default()
        };
        (thread, usage)
    };
    threads.iter().map(switches).collect()
}

#[test]
fn a_thread_that_ended_counts_with_its_last_sample() {
    let mut threads = Threads::default();
    threads.update(found(&[(1, 10), (2, 5)]));
    threads.update(found(&[(1, 12)]));
    threads.update(found(&[(1, 12), (3, 1)]));
    let switches = threads.switches();
    assert_eq!(switches.switches_voluntary, 18);
    assert_eq!(switches.switches_forced, 36);
}

#[test]
fn a_thread_that_reuses_an_identifier_counts_separately() {
    let mut threads = Threads::default();
    threads.update(found(&[(1, 10), (2, 5)]));
    threads.update(found(&[(1, 10), (2, 1)]));
    assert_eq!(threads.switches().switches_voluntary, 16);
}

#[test]
fn this_thread_is_among_those_of_this_process() {
    let pid = std::process::id().cast_signed();
    let found = sample(pid).unwrap();
    assert!(found.switches.contains_key(&pid), "{found:?}");
    assert_eq!(sample(i32::MAX).unwrap_err(), Missing::Gone);
}
