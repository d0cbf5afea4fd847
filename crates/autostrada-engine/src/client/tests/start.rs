//! Tests of `start.rs`.

use super::*;

#[test]
fn all_threads_agree_upon_one_start_without_the_one_that_failed() {
    let start = Start::new(3, Durations::default(), &Control::default(), None);
    for _ in 0..3 {
        assert!(start.timetable().is_err());
        start.arrive();
    }
    let starts = [(); 2].map(|()| start.timetable().unwrap().started_at);
    assert!(starts[0] > 0);
    assert_eq!(starts[0], starts[1]);
}

#[test]
fn a_start_from_outside_is_awaited_and_the_first_one_counts() {
    let control = Control::default();
    let (arrivals, at) = (AtomicUsize::new(0), clock::now() + 60_000_000_000);
    let arrived = || {
        arrivals.fetch_add(1, Ordering::Relaxed);
    };
    let start = Start::new(2, Durations::default(), &control, Some(&arrived));
    start.arrive();
    control.start.set(at);
    assert!(start.timetable().is_err());
    start.arrive();
    assert_eq!(arrivals.load(Ordering::Relaxed), 1);
    control.start.set(at + 1);
    assert_eq!(start.timetable().unwrap().started_at, at);
}

#[test]
fn an_interruption_ends_the_wait_for_a_start_from_outside() {
    let control = Control::default();
    let start = Start::new(1, Durations::default(), &control, Some(&|| {}));
    start.arrive();
    assert!(start.timetable().is_err());
    control.interruption.set();
    assert!(start.timetable().is_ok());
}
