//! Only the system calls that sampling needs: clocks, reads of `/proc` files that stay open,
//! and requests to `sock_diag(7)`.
//!
//! `bare-observe EVERY_MS SAMPLES LINE_BYTES SOCKETS QUERY_EVERY PID…` takes `SAMPLES` samples of
//! the processes and the machine, writes a line of `LINE_BYTES` for each, and prints the CPU time
//! used, in nanoseconds. For a process that has used CPU time since the last sample it reads
//! the files that the observer reads. In one of `QUERY_EVERY` samples it requests `SOCKETS`
//! connections from the kernel; 0 omits connections. It lists all connections, with the links of
//! 1,000 open files, as often as 0.2 % of a core allows, like the observer.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::RawFd;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use autostrada_benches::socket::{receive, send};
use autostrada_benches::{checked, read_clock};

const HOST_FILES: [&str; 6] = [
    "/proc/stat",
    "/proc/net/netstat",
    "/proc/net/snmp",
    "/proc/net/dev",
    "/proc/meminfo",
    "/proc/pressure/cpu",
];
const IDLE_EVERY: Duration = Duration::from_secs(5);
const LIST_EVERY: Duration = Duration::from_secs(1);
/// Divisor of the share of a core that listing may use: 1/500 is 0.2 %.
const LIST_SHARE: u32 = 500;
const LINKS: usize = 1_000;
const REQUESTS_MAX: usize = 32;
const REQUEST_BYTES: usize = 72;
const IDENTIFIER_BYTES: usize = 48;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
/// Established, `FIN_WAIT1`, `FIN_WAIT2` and `CLOSE_WAIT`.
const STATES: u32 = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 8;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers = std::env::args()
        .skip(1)
        .map(|argument| argument.parse())
        .collect::<Result<Vec<u32>, _>>()?;
    let [
        every_ms,
        samples,
        line_bytes,
        sockets,
        query_every,
        ref pids @ ..,
    ] = numbers[..]
    else {
        return Err(
            "usage: bare-observe EVERY_MS SAMPLES LINE_BYTES SOCKETS QUERY_EVERY PID…".into(),
        );
    };
    let host: Vec<File> = HOST_FILES
        .iter()
        .filter_map(|path| File::open(path).ok())
        .collect();
    let mut processes = pids
        .iter()
        .map(|pid| Process::open(*pid))
        .collect::<io::Result<Vec<_>>>()?;
    let mut connections = match sockets {
        0 => None,
        _ => Some(Connections::open(sockets as usize, pids)?),
    };
    let mut buffer = vec![0; 64 * 1024];
    let mut line = vec![b' '; line_bytes as usize];
    line.push(b'\n');
    let mut stdout = io::stdout().lock();
    let begin = Instant::now();
    let before = cpu_time(libc::CLOCK_PROCESS_CPUTIME_ID)?;
    for number in 0..samples {
        let due = begin + Duration::from_millis(u64::from(every_ms * number));
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        if let Some(connections) = &mut connections {
            if number % query_every == 0 {
                connections.query(&mut buffer)?;
            }
            connections.list_if_due(&mut buffer)?;
        }
        for process in &mut processes {
            process.read(&mut buffer)?;
        }
        for file in &host {
            read_all(file, &mut buffer)?;
        }
        stdout.write_all(&line)?;
        stdout.flush()?;
    }
    let used = cpu_time(libc::CLOCK_PROCESS_CPUTIME_ID)?.saturating_sub(before);
    writeln!(stdout, "{}", used.as_nanos())?;
    Ok(())
}

/// The files of one process, and the last reading of its clock.
struct Process {
    clock: libc::clockid_t,
    statm: File,
    /// Read if the clock has advanced.
    others: Vec<File>,
    task: String,
    last: Duration,
    read_at: Instant,
}

impl Process {
    fn open(pid: u32) -> io::Result<Self> {
        let open = |name: &str| File::open(format!("/proc/{pid}/{name}"));
        let mut clock = 0;
        // SAFETY: the call writes one number to a live local value.
        let status = unsafe { libc::clock_getcpuclockid(pid.cast_signed(), &raw mut clock) };
        if status != 0 {
            return Err(io::Error::from_raw_os_error(status));
        }
        Ok(Self {
            clock,
            statm: open("statm")?,
            others: vec![
                open("stat")?,
                open("status")?,
                open(&format!("task/{pid}/children"))?,
            ],
            task: format!("/proc/{pid}/task"),
            last: Duration::ZERO,
            read_at: Instant::now(),
        })
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        let now = cpu_time(self.clock)?;
        let has_moved = std::mem::replace(&mut self.last, now) != now;
        if has_moved || self.read_at.elapsed() >= IDLE_EVERY {
            self.read_at = Instant::now();
            self.statm.read_at(buffer, 0)?;
        }
        if !has_moved {
            return Ok(());
        }
        for file in &self.others {
            file.read_at(buffer, 0)?;
        }
        // The number of open files.
        std::fs::metadata(self.task.replace("task", "fd"))?;
        for thread in std::fs::read_dir(&self.task)? {
            let folder = thread?.path();
            for name in ["children", "status"] {
                read_all(&File::open(folder.join(name))?, buffer)?;
            }
        }
        Ok(())
    }
}

/// A netlink socket and the requested connections.
struct Connections {
    socket: RawFd,
    sampled_max: usize,
    folders: Vec<String>,
    /// Family and identifier of each connection.
    sampled: Vec<(u8, [u8; IDENTIFIER_BYTES])>,
    list_at: Instant,
}

impl Connections {
    fn open(sampled_max: usize, pids: &[u32]) -> io::Result<Self> {
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
        // SAFETY: the call takes three numbers.
        let socket = unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_SOCK_DIAG) };
        let mut connections = Self {
            socket: checked(socket)?,
            sampled_max,
            folders: pids.iter().map(|pid| format!("/proc/{pid}/fd")).collect(),
            sampled: Vec::new(),
            list_at: Instant::now(),
        };
        connections.list_if_due(&mut vec![0; 64 * 1024])?;
        Ok(connections)
    }

    /// Lists all connections if the share of a core allows it.
    fn list_if_due(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        if Instant::now() < self.list_at {
            return Ok(());
        }
        let before = cpu_time(libc::CLOCK_THREAD_CPUTIME_ID)?;
        for folder in &self.folders {
            for number in 0..LINKS {
                let _ = std::fs::read_link(format!("{folder}/{number}"));
            }
        }
        self.sampled.clear();
        for family in [libc::AF_INET, libc::AF_INET6] {
            let family = u8::try_from(family).expect("a small constant");
            let mut request = Vec::new();
            add_request(family, None, &mut request);
            send(&self.socket, &request)?;
            while self.read_listed(buffer)? {}
        }
        let cost = cpu_time(libc::CLOCK_THREAD_CPUTIME_ID)?.saturating_sub(before);
        self.list_at = Instant::now() + LIST_EVERY.max(cost * LIST_SHARE);
        Ok(())
    }

    /// Receives one part of a list; returns whether another one follows.
    fn read_listed(&mut self, buffer: &mut [u8]) -> io::Result<bool> {
        let length = receive(&self.socket, buffer)?;
        let mut rest = &buffer[..length];
        while let Some((head, _)) = rest.split_at_checked(REQUEST_BYTES + 16) {
            let bytes = u32::from_ne_bytes([head[0], head[1], head[2], head[3]]) as usize;
            if u16::from_ne_bytes([head[4], head[5]]) != SOCK_DIAG_BY_FAMILY {
                break;
            }
            if self.sampled.len() < self.sampled_max {
                let identifier = head[20..].first_chunk().expect("the head is longer");
                self.sampled.push((head[16], *identifier));
            }
            rest = rest.get(bytes.next_multiple_of(4)..).unwrap_or_default();
        }
        // The last message of a list, and an error, have another type.
        Ok(rest.is_empty())
    }

    fn query(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        for batch in self.sampled.chunks(REQUESTS_MAX) {
            let mut request = Vec::with_capacity(REQUESTS_MAX * REQUEST_BYTES);
            for (family, identifier) in batch {
                add_request(*family, Some(identifier), &mut request);
            }
            send(&self.socket, &request)?;
            for _ in batch {
                receive(&self.socket, buffer)?;
            }
        }
        Ok(())
    }
}

/// Appends a request for one connection with its metrics, or for all connections without metrics.
fn add_request(family: u8, identifier: Option<&[u8; IDENTIFIER_BYTES]>, request: &mut Vec<u8>) {
    let flags: u16 = if identifier.is_some() { 1 } else { 0x301 };
    let metrics = u8::from(identifier.is_some()) << 1;
    request.extend(72_u32.to_ne_bytes());
    request.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    request.extend(flags.to_ne_bytes());
    request.extend([0; 8]);
    let protocol = u8::try_from(libc::IPPROTO_TCP).expect("a small constant");
    request.extend([family, protocol, metrics, 0]);
    request.extend(STATES.to_ne_bytes());
    request.extend(identifier.unwrap_or(&[0; IDENTIFIER_BYTES]));
}

/// Reads a file to its end; the kernel may return it in parts.
fn read_all(file: &File, buffer: &mut [u8]) -> io::Result<()> {
    let mut length = 0;
    loop {
        match file.read_at(buffer, length)? {
            0 => return Ok(()),
            more => length += more as u64,
        }
    }
}

fn cpu_time(clock: libc::clockid_t) -> io::Result<Duration> {
    read_clock(clock).map(Duration::from_nanos)
}
