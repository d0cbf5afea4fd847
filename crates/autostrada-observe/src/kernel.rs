//! One process as the kernel tells it, by files of `/proc` that stay open.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use nix::errno::Errno;
use nix::time::ClockId;
use nix::unistd::Pid;

use crate::machine::CpuTimes;
use crate::source::{Missing, Seen, Source};
use crate::stat::{self, ProcessStat};

/// Longer than any of these files but a list of children.
const READ_BYTES: usize = 4096;

/// Asks the kernel, through `/proc` and the CPU clock of each process.
#[derive(Debug)]
pub struct Kernel {
    tick_ns: u64,
    page_bytes: u64,
}

impl Default for Kernel {
    fn default() -> Self {
        Self::new()
    }
}

impl Kernel {
    /// Asks for what does not change.
    #[must_use]
    pub fn new() -> Self {
        Self {
            tick_ns: CpuTimes::tick_ns(),
            page_bytes: procfs::page_size(),
        }
    }
}

/// A process by its open files: they are of this process alone, also when its identifier is
/// another one's.
#[derive(Debug)]
pub struct KeptProcess {
    pid: i32,
    clock: ClockId,
    statm: File,
    stat: File,
    status: File,
    /// Of the first thread.
    children: File,
    last: Option<Seen>,
}

impl Source for Kernel {
    type Process = KeptProcess;

    fn find(&self, pid: i32) -> Result<KeptProcess, Missing> {
        let clock = ClockId::pid_cpu_clock_id(Pid::from_raw(pid)).map_err(missing_clock)?;
        let open =
            |name: &str| File::open(format!("/proc/{pid}/{name}")).map_err(|error| missing(&error));
        let statm = open("statm")?;
        let children = open(&format!("task/{pid}/children")).map_err(|why| {
            if why == Missing::Gone && read(&statm).is_ok() {
                let told = "this kernel does not list children (CONFIG_PROC_CHILDREN)";
                return Missing::Unreadable(told.into());
            }
            why
        })?;
        Ok(KeptProcess {
            pid,
            clock,
            statm,
            stat: open("stat")?,
            status: open("status")?,
            children,
            last: None,
        })
    }

    /// Who has used no CPU time since the last look has not changed, and is not read in full.
    fn look(&self, process: &mut KeptProcess) -> Result<Seen, Missing> {
        let cpu = process.clock.now().map_err(missing_clock)?;
        let cpu_ns = Duration::from(cpu)
            .as_nanos()
            .try_into()
            .expect("a process runs for less than 584 years");
        // After the clock, which is of an identifier: where the file can still be read, that was
        // of this process.
        let pages = stat::resident_pages(&read(&process.statm)?).ok_or_else(|| odd("statm"))?;
        let resident_bytes = pages * self.page_bytes;
        if let Some(last) = &process.last
            && (last.cpu_ns, last.resident_bytes) == (cpu_ns, resident_bytes)
        {
            return Ok(last.clone());
        }
        let line = read(&process.stat)?;
        let stat = ProcessStat::parse(&line).ok_or_else(|| odd("stat"))?;
        // Its parent is taking it from the table, and may have counted its CPU time.
        if stat.state == 'X' {
            return Err(Missing::Gone);
        }
        let peak_resident_bytes =
            stat::peak_resident_bytes(&read(&process.status)?).ok_or_else(|| odd("status"))?;
        let seen = Seen {
            parent: stat.parent,
            has_ended: stat.has_ended(),
            cpu_ns,
            reaped_ns: stat.reaped_ticks * self.tick_ns,
            resident_bytes,
            peak_resident_bytes,
            children: process.children(stat.threads)?,
        };
        process.last = Some(seen.clone());
        Ok(seen)
    }
}

impl KeptProcess {
    /// The children of all threads, most often of the only one.
    fn children(&self, threads: u64) -> Result<Vec<i32>, Missing> {
        if threads <= 1 {
            return Ok(stat::children(&read_list(&self.children)?).collect());
        }
        let mut children = Vec::new();
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.pid))
            .map_err(|error| missing(&error))?
        {
            let path = thread
                .map_err(|error| missing(&error))?
                .path()
                .join("children");
            match std::fs::read_to_string(path).map_err(|error| missing(&error)) {
                Ok(text) => children.extend(stat::children(&text)),
                // A thread that ends leaves its children to another.
                Err(Missing::Gone) => {}
                Err(why) => return Err(why),
            }
        }
        Ok(children)
    }
}

/// A file that the kernel writes in one piece.
fn read(file: &File) -> Result<String, Missing> {
    let mut bytes = [0; READ_BYTES];
    let length = read_at(file, &mut bytes, 0)?;
    Ok(text(&bytes[..length]))
}

/// A file that the kernel writes in pieces, from its beginning to its end.
fn read_list(file: &File) -> Result<String, Missing> {
    let mut bytes = vec![0; READ_BYTES];
    let mut length = 0;
    loop {
        match read_at(file, &mut bytes[length..], length as u64)? {
            0 => return Ok(text(&bytes[..length])),
            more => length += more,
        }
        if length == bytes.len() {
            bytes.resize(2 * length, 0);
        }
    }
}

fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> Result<usize, Missing> {
    loop {
        match file.read_at(bytes, offset) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read.map_err(|error| missing(&error)),
        }
    }
}

/// Names of processes may be any bytes.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn missing(error: &io::Error) -> Missing {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::ESRCH | Errno::ENOENT) => Missing::Gone,
        _ => Missing::Unreadable(error.to_string()),
    }
}

/// A clock of a process that is not there is not a clock.
fn missing_clock(errno: Errno) -> Missing {
    match errno {
        Errno::ESRCH | Errno::EINVAL => Missing::Gone,
        _ => Missing::Unreadable(errno.desc().to_owned()),
    }
}

fn odd(name: &str) -> Missing {
    Missing::Unreadable(format!("/proc/PID/{name} is not as proc(5) describes it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::process::{Child, Command, Stdio};

    fn own() -> i32 {
        std::process::id().cast_signed()
    }

    /// A process that sends back what it gets, and has begun to.
    fn cat() -> Child {
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.as_mut().unwrap().write_all(b"x").unwrap();
        let stdout = child.stdout.as_mut().unwrap();
        stdout.read_exact(&mut [0]).unwrap();
        child
    }

    #[test]
    fn this_process_is_seen_with_the_child_of_another_thread() {
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut child = cat();
            tell.send(child.id().cast_signed()).unwrap();
            let _ = receiver.recv();
            child.kill().unwrap();
            child.wait().unwrap();
        });
        let child = told.recv().unwrap();
        let kernel = Kernel::new();
        let seen = kernel.look(&mut kernel.find(own()).unwrap()).unwrap();
        assert!(seen.children.contains(&child), "{child}: {seen:?}");
        assert!(seen.cpu_ns > 0 && seen.resident_bytes > 0);
        let of_child = kernel.look(&mut kernel.find(child).unwrap()).unwrap();
        assert_eq!((of_child.parent, of_child.children), (own(), vec![]));
        drop(sender);
        thread.join().unwrap();
    }

    #[test]
    fn who_does_nothing_looks_the_same() {
        let mut child = cat();
        let kernel = Kernel::new();
        let mut process = kernel.find(child.id().cast_signed()).unwrap();
        let first = kernel.look(&mut process).unwrap();
        assert!(first.peak_resident_bytes >= first.resident_bytes);
        let second = kernel.look(&mut process).unwrap();
        assert!(second.cpu_ns >= first.cpu_ns);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn who_is_gone_is_gone_whatever_was_kept_open() {
        let mut child = cat();
        let kernel = Kernel::new();
        let pid = child.id().cast_signed();
        let mut process = kernel.find(pid).unwrap();
        assert!(!kernel.look(&mut process).unwrap().has_ended);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(kernel.look(&mut process), Err(Missing::Gone));
        assert_eq!(kernel.find(pid).unwrap_err(), Missing::Gone);
    }

    #[test]
    fn a_list_is_read_to_its_end_however_long_it_is() {
        let path = std::env::temp_dir().join(format!("autostrada-observe-{}", own()));
        let text = "12345 ".repeat(READ_BYTES);
        std::fs::write(&path, &text).unwrap();
        let file = File::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read_list(&file), Ok(text));
    }
}
