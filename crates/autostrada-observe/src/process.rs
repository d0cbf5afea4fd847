//! CPU time and memory of a process and its descendants, read by another process.

use std::collections::BTreeMap;

use nix::time::ClockId;
use nix::unistd::Pid;
use procfs::process::{Process, Task, all_processes};
use thiserror::Error;

use crate::allowance::cpu_ns;

/// One reading of a process tree. The difference of two readings is the usage between them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reading {
    /// CPU time since each process started, user and system, in nanoseconds; ended threads are
    /// included.
    pub cpu_ns: u64,
    /// Resident memory at this instant, in bytes.
    pub resident_bytes: u64,
    /// Sum of the peak resident memory of each process, in bytes.
    pub peak_resident_bytes: u64,
}

/// The reason why a process could not be read; usually it has ended.
#[derive(Debug, Error)]
#[error("cannot observe process {pid}: {cause}")]
pub struct ObserveError {
    pub(crate) pid: i32,
    pub(crate) cause: String,
}

/// Reads process `pid` and all its running descendants.
///
/// A descendant that cannot be read, because it has just ended, is omitted. CPU time comes from
/// the process's CPU clock (`clock_getcpuclockid(3)`), whose resolution is a nanosecond, whereas
/// that of `/proc/PID/stat` is usually 10 ms.
/// Returns an error if `pid` itself cannot be read.
pub fn read_process_tree(pid: i32) -> Result<Reading, ObserveError> {
    let mut total = read_process(pid)?;
    let mut parents = vec![pid];
    while let Some(parent) = parents.pop() {
        for child in tasks(parent).flat_map(|task| children(&task)) {
            if let Ok(reading) = read_process(child) {
                total.cpu_ns += reading.cpu_ns;
                total.resident_bytes += reading.resident_bytes;
                total.peak_resident_bytes += reading.peak_resident_bytes;
                parents.push(child);
            }
        }
    }
    Ok(total)
}

/// Whether a process of group `group` is running; one that has ended and waits for its parent is
/// not.
pub fn has_running_process(group: i32) -> bool {
    // A process that cannot be read has just ended.
    let stats = all_processes().into_iter().flatten().flatten();
    let mut stats = stats.filter_map(|process| process.stat().ok());
    stats.any(|stat| stat.pgrp == group && !matches!(stat.state, 'Z' | 'X'))
}

/// Returns the CPU time of each running thread of process `pid` and its descendants, in nanoseconds,
/// by the thread's identifier: `/proc/PID/task/TID/schedstat`.
///
/// A thread that cannot be read, because it has just ended, is omitted.
pub fn read_thread_times(pid: i32) -> BTreeMap<i32, u64> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![pid];
    while let Some(pid) = waiting.pop() {
        for task in tasks(pid) {
            if let Ok(times) = task.schedstat() {
                found.insert(task.tid, times.sum_exec_runtime);
            }
            waiting.extend(children(&task));
        }
    }
    found
}

fn read_process(pid: i32) -> Result<Reading, ObserveError> {
    let failed = |cause: String| ObserveError { pid, cause };
    let cpu_ns = ClockId::pid_cpu_clock_id(Pid::from_raw(pid))
        .and_then(cpu_ns)
        .map_err(|error| failed(error.desc().to_owned()))?;
    let status = Process::new(pid)
        .and_then(|process| process.status())
        .map_err(|error| failed(error.to_string()))?;
    let from_kib = |kib: Option<u64>| kib.unwrap_or(0) * 1024;
    Ok(Reading {
        cpu_ns,
        resident_bytes: from_kib(status.vmrss),
        peak_resident_bytes: from_kib(status.vmhwm),
    })
}

/// Returns the threads of a process; none if it has ended.
fn tasks(pid: i32) -> impl Iterator<Item = Task> {
    let tasks = Process::new(pid).and_then(|process| process.tasks());
    tasks.into_iter().flatten().flatten()
}

fn children(task: &Task) -> impl Iterator<Item = i32> + use<> {
    let children = task.children().unwrap_or_default();
    children.into_iter().map(u32::cast_signed)
}

#[cfg(test)]
#[path = "tests/process.rs"]
mod tests;
