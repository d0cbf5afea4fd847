//! Tests of `progress.rs`.

use super::*;

fn is_pace(progress: &Progress, factor: f64) -> bool {
    (progress.pace() - factor).abs() < f64::EPSILON
}

#[test]
fn keys_change_the_rate_of_an_open_loop_only() {
    let mut progress = Progress::default();
    progress.obey(Action::Faster);
    progress.obey(Action::Pause);
    assert!(is_pace(&progress, 1.0));
    progress.factor = Some(1.0);
    progress.obey(Action::Faster);
    assert!(is_pace(&progress, STEP));
    progress.obey(Action::Pause);
    assert!(is_pace(&progress, 0.0));
    progress.obey(Action::Pause);
    progress.obey(Action::Slower);
    assert!(is_pace(&progress, 1.0));
}

#[test]
fn a_load_connects_warms_up_measures_and_drains() {
    let mut progress = Progress {
        connections: 10,
        opened: 4,
        ..Progress::default()
    };
    let phase = |progress: &Progress, now| {
        let Phase {
            name,
            done,
            left_ns,
        } = progress.phase(now);
        (name, done, left_ns)
    };
    assert_eq!(phase(&progress, 50), ("connecting", 0.4, None));
    progress.timetable = Some(Timetable {
        started_at: 100,
        window: 200..400,
        drained_at: 500,
    });
    assert_eq!(phase(&progress, 50), ("warm-up", 0.0, Some(150)));
    assert_eq!(phase(&progress, 175), ("warm-up", 0.75, Some(25)));
    assert_eq!(phase(&progress, 250), ("measuring", 0.25, Some(150)));
    assert_eq!(
        phase(&progress, 450),
        ("waiting for answers", 0.5, Some(50))
    );
    assert_eq!(phase(&progress, 600), ("waiting for answers", 1.0, Some(0)));
}
