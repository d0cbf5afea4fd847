//! Tests of `slices.rs`.

use super::*;
use std::thread;

/// Returns the timetable of a slice that begins at 100.
fn timetable(length_ns: Nanos) -> Timetable {
    Timetable {
        started_at: 100,
        window: 100..100 + length_ns,
        drained_at: 900,
    }
}

fn row(began_ns: Nanos, ended_ns: Nanos, complete: bool) -> SliceRow {
    SliceRow {
        began_ns,
        ended_ns,
        messages: 5,
        busy_ns: 7,
        complete,
    }
}

/// Waits until a slice after `done` ones has begun; returns its end and whether it counts.
fn begin(slices: &Slices, done: u64) -> (Nanos, bool) {
    loop {
        match slices.next(done, timetable) {
            Next::Slice { timetable, counts } => return (timetable.window.end, counts),
            Next::Wait => thread::yield_now(),
            Next::End => panic!("the load ends"),
        }
    }
}

#[test]
fn a_slice_is_what_all_threads_did_in_it_and_only_some_count() {
    let slices = Slices::new(2).unwrap();
    thread::scope(|scope| {
        let rows = scope.spawn(|| {
            [(50, false), (30, true), (40, true)]
                .map(|(length_ns, counts)| slices.carry_out(length_ns, counts))
        });
        assert!(matches!(slices.next(0, timetable), Next::Wait));
        slices.open();
        for (done, expected) in [(150, false), (130, true), (140, true)].iter().enumerate() {
            assert_eq!(begin(&slices, done as u64), *expected);
            slices.finish(row(101, 160, true));
            slices.finish(row(100, 150, done != 2));
        }
        let sum = |complete| SliceRow {
            messages: 10,
            busy_ns: 14,
            ..row(100, 160, complete)
        };
        let expected = [true, true, false].map(|complete| Some(sum(complete)));
        assert_eq!(rows.join().unwrap(), expected);
    });
    assert_eq!(slices.counted(), Some((100, 120)));
}

#[test]
fn the_end_interrupts_a_slice_and_keeps_the_error() {
    let slices = Slices::new(1).unwrap();
    slices.open();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| slices.carry_out(50, true));
        begin(&slices, 0);
        slices.end(Err(PlanError::new("why")));
        assert_eq!(waiting.join().unwrap(), None);
    });
    assert!(matches!(slices.next(1, timetable), Next::End));
    assert_eq!(slices.carry_out(50, true), None);
    assert_eq!(slices.take_error().unwrap().to_string(), "why");
    assert_eq!(slices.counted(), None);
}
