//! Tests of `limits.rs`.

use super::*;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::Barrier;

#[test]
fn the_limit_is_raised_to_the_hard_one() {
    let limit = raise_descriptor_limit().unwrap();
    assert_eq!(getrlimit(Resource::RLIMIT_NOFILE).unwrap(), (limit, limit));
    assert_eq!(raise_descriptor_limit().unwrap(), limit);
}

#[test]
fn a_thread_with_a_table_of_its_own_opens_files_that_others_do_not_see() {
    let opened = std::thread::spawn(|| {
        copy_descriptor_table().unwrap();
        let files: Vec<_> = (0..100).map(|_| File::open("/dev/null").unwrap()).collect();
        let highest = files.iter().map(AsRawFd::as_raw_fd).max().unwrap();
        let link = format!("/proc/{}/fd/{highest}", std::process::id());
        (files.len(), std::path::Path::new(&link).exists())
    });
    assert_eq!(opened.join().unwrap(), (100, false));
}

#[test]
fn a_file_of_another_thread_is_not_open_in_a_new_table() {
    let (reader, writer) = std::io::pipe().unwrap();
    let (started, ended) = (&Barrier::new(2), &Barrier::new(2));
    std::thread::scope(|scope| {
        let isolated = scope.spawn(move || {
            create_descriptor_table().unwrap();
            started.wait();
            ended.wait();
            File::open("/dev/null").unwrap().as_raw_fd()
        });
        started.wait();
        drop(writer);
        assert_eq!(std::io::read_to_string(reader).unwrap(), "");
        ended.wait();
        assert_eq!(isolated.join().unwrap(), 3);
    });
}

#[test]
fn a_thread_lowers_its_own_priority() {
    std::thread::spawn(use_idle_priority)
        .join()
        .unwrap()
        .unwrap();
}

#[test]
fn there_are_memory_and_ports() {
    assert!(available_memory_bytes().unwrap() > 1 << 20);
    assert!(ports_per_source().unwrap() > 1_000);
}
