//! Tests of `stat.rs`.

use super::*;

const LINE: &str = "4242 (a) S 1) Z 77 4242 4242 0 -1 4194560 4274 43979 0 4 200 100 29 2 20 0 \
                    3 0 2244372 5124096 978 18446744073709551615 1 1 0 0 0 0 0 65536 4 0 1 0 \
                    0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";

#[test]
fn a_line_is_read_whatever_the_name_is() {
    let stat = ProcessStat::parse(LINE, 10).unwrap();
    assert_eq!((stat.state, stat.parent), ('Z', 77));
    assert_eq!(stat.threads, 3);
    let used = stat.used;
    assert_eq!((used.user_ns, used.system_ns), (2_000, 1_000));
    assert_eq!((used.faults_minor, used.faults_major), (4274, 0));
    let reaped = stat.reaped;
    assert_eq!((reaped.user_ns, reaped.system_ns), (290, 20));
    assert_eq!((reaped.faults_minor, reaped.faults_major), (43979, 4));
    assert_eq!((used.cpu_ns, reaped.switches_forced), (0, 0));
}

#[test]
fn a_process_whose_first_thread_ended_goes_on_while_others_do() {
    let stat = ProcessStat::parse(LINE, 10).unwrap();
    assert!(!stat.has_ended());
    assert!(ProcessStat { threads: 1, ..stat }.has_ended());
    let asleep = ProcessStat {
        state: 'S',
        threads: 1,
        ..stat
    };
    assert!(!asleep.has_ended());
}

#[test]
fn a_truncated_line_is_none() {
    for end in [0, 4, 10, 13, 20, 60, 75] {
        assert_eq!(
            ProcessStat::parse(&LINE[..end], 10),
            None,
            "{}",
            &LINE[..end]
        );
    }
    assert_eq!(ProcessStat::parse(&LINE.replace(" 29 ", " -1 "), 10), None);
    assert_eq!(resident_pages("1251"), None);
}

#[test]
fn memory_is_parsed_and_0_for_a_process_without_memory() {
    assert_eq!(resident_pages("1251 1027 784 193 0 270 0\n"), Some(1027));
    assert_eq!(
        peak_resident_bytes("Name:\tsh\nVmHWM:\t    3912 kB\nVmRSS:\t 3000 kB\n"),
        Some(3912 * 1024)
    );
    assert_eq!(peak_resident_bytes("Name:\tkthreadd\n"), Some(0));
    assert_eq!(peak_resident_bytes("VmHWM: many\n"), None);
    let rollup = "5629-7ffd ---p 00000000 00:00 0 [rollup]\nRss: 1776 kB\nPss:  245 kB\n";
    assert_eq!(proportional_bytes(rollup), Some(245 * 1024));
    assert_eq!(proportional_bytes("Rss: 1776 kB\nPss_Anon: 1 kB\n"), None);
    assert_eq!(proportional_bytes(&format!("Pss: {} kB", u64::MAX)), None);
}

#[test]
fn switches_are_distinguished() {
    let text = "Threads: 1\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n";
    let expected = Usage {
        switches_voluntary: 12,
        switches_forced: 3,
        ..Usage::default()
    };
    assert_eq!(switches(text), Some(expected));
    assert_eq!(switches("voluntary_ctxt_switches:\t12\n"), None);
    assert_eq!(switches("nonvoluntary_ctxt_switches:\t3\n"), None);
}

#[test]
fn children_are_listed_with_spaces() {
    assert_eq!(children("12 13 ").collect::<Vec<_>>(), [12, 13]);
    assert_eq!(children("").count(), 0);
}
