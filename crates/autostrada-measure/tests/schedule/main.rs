//! Schedules: tables of due times, shares whose union is the whole schedule, no drift.

use autostrada_measure::{Arrivals, Nanos, Rate, RateError, Schedule, Share};
use proptest::prelude::*;

mod poisson;

const SECOND_NS: Nanos = 1_000_000_000;

fn per_second(rate_per_s: f64) -> Rate {
    Rate::per_second(rate_per_s).unwrap()
}

fn constant(rate_per_s: f64) -> Schedule {
    Schedule::Constant {
        rate: per_second(rate_per_s),
    }
}

fn ramp(from: Rate, to: Rate, over_ns: Nanos) -> Schedule {
    Schedule::Ramp { from, to, over_ns }
}

/// The due times of all messages before `end`.
fn dues_until(mut arrivals: Arrivals, end: Nanos) -> Vec<Nanos> {
    let mut dues = Vec::new();
    while let Some(due) = arrivals.next_due().filter(|&due| due < end) {
        dues.push(due);
        arrivals.advance();
    }
    dues
}

/// The whole schedule, on one connection.
fn whole() -> Share {
    Share::new(0, 1, 1)
}

/// When a message is due: the first one of a share that begins with it.
fn due_at(schedule: Schedule, number: u64) -> Option<Nanos> {
    let share = Share::new(number, u64::MAX, u64::MAX);
    schedule.arrivals(share).next_due()
}

fn due_table(schedule: Schedule, numbers: &[u64]) -> Vec<Option<Nanos>> {
    numbers
        .iter()
        .map(|&number| due_at(schedule, number))
        .collect()
}

#[test]
fn due_times_of_a_constant_rate() {
    let table = |schedule, count| due_table(schedule, &(0..count).collect::<Vec<_>>());
    let ms = |dues: &[u64]| {
        dues.iter()
            .map(|ms| Some(ms * 1_000_000))
            .collect::<Vec<_>>()
    };
    assert_eq!(table(constant(1_000.0), 4), ms(&[0, 1, 2, 3]));
    assert_eq!(table(constant(0.1), 3), ms(&[0, 10_000, 20_000]));
    assert_eq!(table(constant(1e9), 3), [0, 1, 2].map(Some));
    let thirds = [0, 333_333_333, 666_666_666, 1_000_000_000, 1_333_333_333];
    assert_eq!(table(constant(3.0), 5), thirds.map(Some));
    let every_minute = Schedule::Constant {
        rate: Rate::new(1, 60 * SECOND_NS).unwrap(),
    };
    assert_eq!(table(every_minute, 3), ms(&[0, 60_000, 120_000]));
}

#[test]
fn a_rate_is_an_exact_fraction() {
    assert_eq!(per_second(0.1), Rate::new(1, 10 * SECOND_NS).unwrap());
    assert_eq!(per_second(2_500.0), Rate::new(5, 2_000_000).unwrap());
    assert_eq!(Rate::new(6, 4 * SECOND_NS), Rate::new(3, 2 * SECOND_NS));
    assert!((per_second(123.456).per_s() - 123.456).abs() < 1e-12);
}

#[test]
fn an_invalid_rate_is_refused_with_a_remedy() {
    for wrong in [0.0, -1.0, 1e-10, f64::NAN, f64::NEG_INFINITY] {
        assert_eq!(Rate::per_second(wrong), Err(RateError::TooLow), "{wrong}");
    }
    for wrong in [1.1e9, f64::INFINITY] {
        assert_eq!(Rate::per_second(wrong), Err(RateError::TooHigh), "{wrong}");
    }
    assert_eq!(Rate::new(0, 1), Err(RateError::TooLow));
    assert_eq!(Rate::new(1, u64::MAX), Err(RateError::TooLow));
    assert_eq!(Rate::new(2, 1), Err(RateError::TooHigh));
    assert!(RateError::TooLow.to_string().contains("give"));
    assert!(RateError::TooHigh.to_string().contains("give"));
}

#[test]
fn the_area_under_a_ramp_up_to_a_message_is_its_number() {
    // Over an hour, in integers: areas are scaled by 2 × 3,600 s × 10^18.
    let hour_ns = 3_600 * SECOND_NS;
    for (from_per_s, to_per_s) in [(50_000, 200_000), (200_000, 50_000), (0, 300), (300, 0)] {
        let rate = |per_s: u32| match per_s {
            0 => Rate::ZERO,
            _ => per_second(f64::from(per_s)),
        };
        let schedule = ramp(rate(from_per_s), rate(to_per_s), hour_ns);
        let (from, to) = (i128::from(from_per_s), i128::from(to_per_s));
        let area = |t: i128| 2 * i128::from(hour_ns) * from * t + (to - from) * t * t;
        let all = schedule.offered_until(hour_ns);
        assert_eq!(all, u64::from(from_per_s + to_per_s) * 1_800);
        for number in (1..all).step_by(123_457).chain(all - 3..all) {
            let due = i128::from(due_at(schedule, number).unwrap());
            let expected = i128::from(number) * 2 * i128::from(hour_ns) * i128::from(SECOND_NS);
            assert!(area(due - 1) < expected && expected < area(due + 1));
        }
        assert_eq!(due_at(schedule, all), (to > 0).then_some(hour_ns));
    }
}

#[test]
fn a_ramp_that_ends_between_two_messages_continues_from_its_area() {
    // From 1/s to 2/s in 1 s: an area of 1.5 messages; the other half takes 250 ms.
    let schedule = ramp(per_second(1.0), per_second(2.0), SECOND_NS);
    // t + t²/2 = 1: t = sqrt(3) − 1.
    assert_eq!(due_at(schedule, 1), Some(732_050_808));
    assert_eq!(due_at(schedule, 2), Some(1_250_000_000));
    assert_eq!(due_at(schedule, 3), Some(1_750_000_000));
    // From 2/s to 1/s: 2t − t²/2 = 1, t = 2 − sqrt(2), and the other half takes 500 ms.
    let schedule = ramp(per_second(2.0), per_second(1.0), SECOND_NS);
    assert_eq!(
        due_table(schedule, &[0, 1, 2, 3]),
        [0, 585_786_438, 1_500_000_000, 2_500_000_000].map(Some)
    );
}

#[test]
fn a_ramp_to_zero_ends_and_a_ramp_from_zero_to_zero_is_empty() {
    let ending = ramp(per_second(10.0), Rate::ZERO, 2 * SECOND_NS);
    assert_eq!(dues_until(ending.arrivals(whole()), u64::MAX).len(), 10);
    assert_eq!(due_at(ending, 10), None);
    assert_eq!(ending.offered_until(u64::MAX), 10);
    let nothing = Schedule::Constant { rate: Rate::ZERO };
    let never = ramp(Rate::ZERO, Rate::ZERO, SECOND_NS);
    let nobody = Schedule::Poisson {
        rate: Rate::ZERO,
        seed: 1,
    };
    for schedule in [nothing, never, nobody] {
        let mut arrivals = schedule.arrivals(whole());
        arrivals.advance();
        assert_eq!(arrivals.next_due(), None);
        assert_eq!(due_at(schedule, 0), None);
        assert_eq!(schedule.offered_until(u64::MAX), 0);
    }
}

#[test]
fn a_ramp_without_duration_or_slope_is_a_constant_rate() {
    let rate = per_second(7.0);
    let steep = ramp(per_second(1.0), rate, 0);
    let level = ramp(rate, rate, 60 * SECOND_NS);
    for number in [0, 1, 6, 7, 100, 419, 420, 421, 10_000] {
        let expected = due_at(constant(7.0), number).unwrap();
        assert_eq!(due_at(steep, number), Some(expected));
        assert!(due_at(level, number).unwrap().abs_diff(expected) <= 1);
    }
}

#[test]
fn the_offered_rate_follows_the_ramp_and_then_is_constant() {
    let schedule = ramp(per_second(100.0), per_second(300.0), 10 * SECOND_NS);
    for (at_s, expected) in [(0, 100.0), (5, 200.0), (10, 300.0), (11, 300.0)] {
        let rate_per_s = schedule.offered_rate_per_s(at_s * SECOND_NS);
        assert!((rate_per_s - expected).abs() < 1e-9, "{rate_per_s}");
    }
    assert!((constant(5.0).offered_rate_per_s(0) - 5.0).abs() < 1e-12);
    assert_eq!(schedule.offered_until(10 * SECOND_NS), 2_000);
    assert_eq!(schedule.offered_until(20 * SECOND_NS), 5_000);
}

#[test]
fn due_times_do_not_drift_over_ten_billion_messages() {
    let rate = Rate::new(3, 7_000_001).unwrap();
    let schedule = Schedule::Constant { rate };
    let exact = |number: u64| u64::try_from(u128::from(number) * 7_000_001 / 3).unwrap();
    let (steps, of) = (100_000, 100_000);
    // A share of 1 in 100,000 reaches ten billion in 100,000 additions.
    let mut arrivals = schedule.arrivals(Share::new(77, of, of));
    for step in 0..steps {
        assert_eq!(arrivals.next_due(), Some(exact(77 + step * of)));
        arrivals.advance();
    }
    assert_eq!(
        due_at(schedule, 10_000_000_000),
        Some(exact(10_000_000_000))
    );

    let held = ramp(Rate::ZERO, rate, 333_333_333);
    let mut arrivals = held.arrivals(Share::new(77, of, of));
    for step in 0..steps {
        assert_eq!(arrivals.next_due(), due_at(held, 77 + step * of));
        arrivals.advance();
    }
}

#[test]
fn a_message_due_in_a_thousand_years_is_never_due() {
    let schedule = Schedule::Constant {
        rate: Rate::new(1, SECOND_NS * SECOND_NS).unwrap(),
    };
    assert_eq!(dues_until(schedule.arrivals(whole()), u64::MAX).len(), 19);
    assert_eq!(due_at(schedule, u64::MAX - 1), None);
}

#[test]
fn one_cursor_serves_all_connections_of_a_thread_in_turn() {
    // Thread 1 of 3 has connections 1, 4 and 7 of ten, at one message a second each.
    let mut arrivals = constant(10.0).arrivals(Share::new(1, 3, 10));
    for (connection, due_ms) in [(0, 100), (1, 400), (2, 700), (0, 1_100), (1, 1_400)] {
        assert_eq!(arrivals.connection(), connection);
        assert_eq!(arrivals.next_due(), Some(due_ms * 1_000_000));
        arrivals.advance();
    }
}

#[test]
fn a_thread_without_connections_has_nothing_to_send() {
    let share = Share::new(3, 4, 3);
    assert_eq!(share.connections(), 0);
    let poisson = Schedule::Poisson {
        rate: per_second(5.0),
        seed: 1,
    };
    for schedule in [constant(1.0), poisson] {
        assert_eq!(schedule.arrivals(share).next_due(), None);
    }
}

/// A schedule with a closed form and arbitrary parameters.
fn any_schedule() -> impl Strategy<Value = Schedule> {
    let rate = || (1..5_000_u64, 1..50_000_u64).prop_map(|(n, us)| Rate::new(n, us * n * 977));
    let rate = move || rate().prop_map(Result::unwrap);
    prop_oneof![
        rate().prop_map(|rate| Schedule::Constant { rate }),
        (rate(), rate(), 0..30_000_000_u64).prop_map(|(from, to, over_ns)| Schedule::Ramp {
            from,
            to,
            over_ns,
        }),
        (rate(), 0..30_000_000_u64).prop_map(|(to, over_ns)| Schedule::Ramp {
            from: Rate::ZERO,
            to,
            over_ns,
        }),
    ]
}

proptest! {
    #[test]
    fn the_union_of_all_shares_is_the_whole_schedule(
        schedule in any_schedule(),
        threads in 1..7_u64,
        connections in 1..40_u64,
        end in 0..60_000_000_u64,
    ) {
        let whole = dues_until(schedule.arrivals(whole()), end);
        let by_number: Vec<_> = (0..whole.len() as u64)
            .map(|number| due_at(schedule, number).unwrap())
            .collect();
        prop_assert_eq!(&whole, &by_number);
        prop_assert!(whole.is_sorted());
        prop_assert_eq!(schedule.offered_until(end), whole.len() as u64);

        let shares = (0..threads).map(|index| Share::new(index, threads, connections));
        prop_assert_eq!(shares.clone().map(Share::connections).sum::<u64>(), connections);
        let mut by_thread: Vec<_> = shares
            .flat_map(|share| dues_until(schedule.arrivals(share), end))
            .collect();
        by_thread.sort_unstable();
        prop_assert_eq!(&whole, &by_thread);

        let mut by_connection: Vec<_> = (0..connections)
            .map(|index| Share::new(index, connections, connections))
            .flat_map(|share| dues_until(schedule.arrivals(share), end))
            .collect();
        by_connection.sort_unstable();
        prop_assert_eq!(&whole, &by_connection);
    }

    #[test]
    fn the_cursor_of_a_thread_agrees_with_the_cursors_of_its_connections(
        schedule in any_schedule(),
        (index, threads) in (1..5_u64).prop_flat_map(|threads| (0..threads, Just(threads))),
        connections in 1..20_u64,
    ) {
        let mut thread = schedule.arrivals(Share::new(index, threads, connections));
        let mut own: Vec<_> = (index..connections)
            .step_by(usize::try_from(threads).unwrap())
            .map(|connection| schedule.arrivals(Share::new(connection, connections, connections)))
            .collect();
        for _ in 0..100 * own.len() {
            let cursor = &mut own[usize::try_from(thread.connection()).unwrap()];
            prop_assert_eq!(thread.next_due(), cursor.next_due());
            thread.advance();
            cursor.advance();
        }
    }
}
