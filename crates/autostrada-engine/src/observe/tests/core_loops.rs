//! Tests of `core_loops.rs`.

use super::*;

/// Waits until each core has as many loops.
fn timed(timer: &LoopTimer, loops: u64) -> Vec<CoreLoops> {
    loop {
        let sums = timer.sums();
        if sums.iter().all(|sum| sum.loops >= loops) {
            return sums;
        }
        thread::yield_now();
    }
}

#[test]
fn the_loop_is_timed_until_the_end() {
    let timer = LoopTimer::start(&[0]).unwrap();
    let [sum] = timed(&timer, 3)[..] else {
        panic!("there is one core");
    };
    assert_eq!((sum.core, sum.messages), (0, 0));
    // An instruction takes at least a cycle.
    assert!(
        sum.loops_ns / sum.loops > INSTRUCTIONS as u64 / 10,
        "{sum:?}"
    );
}

#[test]
fn all_messages_are_answered_between_two_threads_that_meet() {
    let meeting = Meeting::default();
    thread::scope(|scope| {
        let answers = scope.spawn(|| (1..=200).for_each(|due| meeting.answer(due)));
        let mut met = 0;
        while !answers.is_finished() {
            met += (1..=200).filter_map(|due| meeting.ask(due)).count();
        }
        assert!(met <= 200, "{met}");
    });
    assert_eq!(meeting.ask(201), None);
}

#[test]
fn a_core_that_is_not_there_is_refused_with_the_remedy() {
    let error = LoopTimer::start(&[1_000]).unwrap_err().to_string();
    assert!(error.contains("core 1000"), "{error}");
    assert!(LoopTimer::start(&[]).unwrap().sums().is_empty());
}
