//! Sampling of one process from files of `/proc` that stay open.

mod file;
mod threads;

use std::fs::File;
use std::os::unix::fs::MetadataExt;

use nix::errno::Errno;
use nix::time::ClockId;
use nix::unistd::Pid;

pub(crate) use file::read_to_end;
use file::{missing, read, read_list};
use threads::Threads;

use crate::allowance::{Allowance, cpu_ns};
use crate::source::{Missing, ProcessSample, Reasons, Source};
use crate::stat::{self, ProcessStat};
use crate::usage::Usage;

/// CPU time for reading the threads of processes with many threads, in ten-thousandths of a core.
const THREADS_SHARE: u16 = 20;
/// CPU time for reading the page tables of processes, in ten-thousandths of a core.
const PROPORTIONAL_SHARE: u16 = 10;
/// Minimum interval between two reads of the page tables of one process.
const PROPORTIONAL_EVERY_NS: u64 = 1_000_000_000;
/// Interval of reading the memory of an idle process, which changes only if the kernel reclaims it.
const IDLE_EVERY_NS: u64 = 5_000_000_000;
/// Number of threads up to which each is read at every sample.
const THREADS_FEW: u64 = 8;

/// The kernel as a source of process metrics: `/proc`, and the CPU clock of each process.
#[derive(Debug)]
pub struct Kernel {
    tick_ns: u64,
    page_bytes: u64,
    now_ns: u64,
    threads: Allowance,
    proportional: Allowance,
}

impl Default for Kernel {
    fn default() -> Self {
        Self::new()
    }
}

impl Kernel {
    /// Creates a source, with full allowances for expensive reads.
    pub fn new() -> Self {
        Self {
            tick_ns: stat::tick_ns(),
            page_bytes: procfs::page_size(),
            now_ns: 0,
            threads: Allowance::new(THREADS_SHARE),
            proportional: Allowance::new(PROPORTIONAL_SHARE),
        }
    }

    /// Sets the instant of the samples that follow, and fills the allowances for expensive reads.
    pub fn begin(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
        self.threads.refill(now_ns);
        self.proportional.refill(now_ns);
    }
}

/// A process, identified by its open files, which belong to this process even after its PID is
/// reused.
#[derive(Debug)]
pub struct OpenProcess {
    pid: i32,
    clock: ClockId,
    statm: File,
    stat: File,
    status: File,
    /// The children of the first thread.
    children: File,
    threads: Threads,
    proportional: Option<Proportional>,
    last: Option<ProcessSample>,
    /// When the memory was read.
    read_ns: u64,
    /// Whether the last sample omitted an expensive read, which is due even if the process is idle.
    is_incomplete: bool,
}

/// The last read of the page tables of a process.
#[derive(Debug)]
struct Proportional {
    bytes: Result<u64, String>,
    read_ns: u64,
    /// Whether the process has been idle since.
    is_current: bool,
}

impl Source for Kernel {
    type Process = OpenProcess;

    fn find(&mut self, pid: i32) -> Result<OpenProcess, Missing> {
        let clock = ClockId::pid_cpu_clock_id(Pid::from_raw(pid)).map_err(missing_clock)?;
        let open =
            |name: &str| File::open(format!("/proc/{pid}/{name}")).map_err(|error| missing(&error));
        let statm = open("statm")?;
        let children = open(&format!("task/{pid}/children")).map_err(|reason| {
            if reason == Missing::Gone && read(&statm).is_ok() {
                let reason = "this kernel does not list children (CONFIG_PROC_CHILDREN)";
                return Missing::Unreadable(reason.into());
            }
            reason
        })?;
        Ok(OpenProcess {
            pid,
            clock,
            statm,
            stat: open("stat")?,
            status: open("status")?,
            children,
            threads: Threads::default(),
            proportional: None,
            last: None,
            read_ns: 0,
            is_incomplete: false,
        })
    }

    /// Samples a process. One that has used no CPU time since the last sample is not read again.
    ///
    /// The clock is found by the PID, but a process that reuses the PID does not have the same CPU
    /// time to the nanosecond.
    fn sample(&mut self, process: &mut OpenProcess) -> Result<ProcessSample, Missing> {
        let cpu_ns = cpu_ns(process.clock).map_err(missing_clock)?;
        let is_recent = self.now_ns.saturating_sub(process.read_ns) < IDLE_EVERY_NS;
        let mut sampled = match process.last.take() {
            Some(last) if last.used.cpu_ns == cpu_ns && !process.is_incomplete && is_recent => last,
            last => self.read(process, last, cpu_ns)?,
        };
        self.read_proportional(process, &mut sampled);
        process.last = Some(sampled.clone());
        Ok(sampled)
    }
}

impl Kernel {
    /// Reads everything except the clock; only the resident memory if nothing has changed.
    fn read(
        &mut self,
        process: &mut OpenProcess,
        last: Option<ProcessSample>,
        cpu_ns: u64,
    ) -> Result<ProcessSample, Missing> {
        // The clock belongs to a PID, which may have been reused. If the file can still be read
        // after the clock, the clock was that of this process.
        let statm = file::read(&process.statm)?;
        let pages = stat::resident_pages(&statm).ok_or_else(|| unexpected_format("statm"))?;
        let resident_bytes = pages.saturating_mul(self.page_bytes);
        process.read_ns = self.now_ns;
        match last {
            Some(last)
                if !process.is_incomplete
                    && (last.used.cpu_ns, last.resident_bytes) == (cpu_ns, resident_bytes) =>
            {
                Ok(last)
            }
            last => {
                if let Some(proportional) = &mut process.proportional {
                    proportional.is_current = false;
                }
                self.read_in_full(process, last, cpu_ns, resident_bytes)
            }
        }
    }

    /// Reads everything except the clock and the resident memory.
    fn read_in_full(
        &mut self,
        process: &mut OpenProcess,
        last: Option<ProcessSample>,
        cpu_ns: u64,
        resident_bytes: u64,
    ) -> Result<ProcessSample, Missing> {
        process.is_incomplete = false;
        let line = read(&process.stat)?;
        let stat =
            ProcessStat::parse(&line, self.tick_ns).ok_or_else(|| unexpected_format("stat"))?;
        // The parent is reaping the process, and may have added its CPU time already.
        if stat.state == 'X' {
            return Err(Missing::Gone);
        }
        let status = read(&process.status)?;
        let peak_resident_bytes =
            stat::peak_resident_bytes(&status).ok_or_else(|| unexpected_format("status"))?;
        let mut missing = Reasons::new();
        let files = match self.count_files(process, last.as_ref()) {
            _ if stat.has_ended() => 0,
            Ok(files) => files,
            Err(Missing::Gone) => return Err(Missing::Gone),
            Err(Missing::Unreadable(reason)) => {
                missing.insert("files", reason);
                0
            }
        };
        let children = self.read_threads(process, last, stat.threads, &status)?;
        Ok(ProcessSample {
            parent: stat.parent,
            has_ended: stat.has_ended(),
            used: Usage {
                cpu_ns,
                ..stat.used.plus(process.threads.switches())
            },
            reaped: Usage {
                cpu_ns: stat.reaped.user_ns.saturating_add(stat.reaped.system_ns),
                ..stat.reaped
            },
            resident_bytes,
            peak_resident_bytes,
            threads: stat.threads,
            files,
            children,
            missing,
            ..ProcessSample::default()
        })
    }

    /// Reads all threads, and returns the children of the process.
    ///
    /// If that is too expensive at this sample, returns the children of the last sample.
    fn read_threads(
        &mut self,
        process: &mut OpenProcess,
        last: Option<ProcessSample>,
        threads: u64,
        status: &str,
    ) -> Result<Vec<i32>, Missing> {
        if threads <= 1 {
            let own = stat::switches(status).ok_or_else(|| unexpected_format("status"))?;
            process.threads.update([(process.pid, own)].into());
            return Ok(stat::children(&read_list(&process.children)?).collect());
        }
        match last {
            Some(last) if threads > THREADS_FEW && !self.threads.has_balance() => {
                process.is_incomplete = true;
                Ok(last.children)
            }
            _ => {
                let found = self.threads.charge(|| threads::sample(process.pid))?;
                process.threads.update(found.switches);
                Ok(found.children)
            }
        }
    }

    /// Counts open files; kernels before 6.2 do not report the number, so the files are listed.
    fn count_files(
        &mut self,
        process: &mut OpenProcess,
        last: Option<&ProcessSample>,
    ) -> Result<u64, Missing> {
        let folder = format!("/proc/{}/fd", process.pid);
        let listed = std::fs::metadata(&folder).map_err(|error| missing(&error))?;
        if listed.size() > 0 {
            return Ok(listed.size());
        }
        match last {
            Some(last) if !self.threads.has_balance() => {
                process.is_incomplete = true;
                Ok(last.files)
            }
            _ => {
                let count = || Ok(std::fs::read_dir(&folder)?.count() as u64);
                self.threads.charge(count).map_err(|error| missing(&error))
            }
        }
    }

    /// Sets the proportional memory: reads the page tables if that is due and not too expensive,
    /// and repeats the last value otherwise.
    fn read_proportional(&mut self, process: &mut OpenProcess, sampled: &mut ProcessSample) {
        let is_due = process.proportional.as_ref().is_none_or(|last| {
            !last.is_current && self.now_ns.saturating_sub(last.read_ns) >= PROPORTIONAL_EVERY_NS
        });
        if is_due && sampled.resident_bytes > 0 && self.proportional.has_balance() {
            let bytes = self.proportional.charge(|| proportional_bytes(process.pid));
            process.proportional = Some(Proportional {
                bytes,
                read_ns: self.now_ns,
                is_current: true,
            });
        }
        sampled.missing.remove("proportional_bytes");
        match &process.proportional {
            Some(Proportional {
                bytes: Ok(bytes), ..
            }) => sampled.proportional_bytes = *bytes,
            Some(Proportional {
                bytes: Err(reason), ..
            }) => {
                sampled.missing.insert("proportional_bytes", reason.clone());
            }
            None if sampled.resident_bytes == 0 => {}
            None => {
                let reason = "not read yet, because reading page tables is rate-limited";
                sampled.missing.insert("proportional_bytes", reason.into());
            }
        }
    }
}

fn proportional_bytes(pid: i32) -> Result<u64, String> {
    let path = format!("/proc/{pid}/smaps_rollup");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    stat::proportional_bytes(&text).ok_or_else(|| format!("{path} has no line Pss"))
}

/// Converts the error of a CPU clock; `EINVAL` means that its process has ended.
fn missing_clock(errno: Errno) -> Missing {
    match errno {
        Errno::ESRCH | Errno::EINVAL => Missing::Gone,
        _ => Missing::Unreadable(errno.desc().to_owned()),
    }
}

fn unexpected_format(name: &str) -> Missing {
    Missing::Unreadable(format!("/proc/PID/{name} is not as described in proc(5)"))
}

#[cfg(test)]
#[path = "tests/kernel.rs"]
mod tests;
