//! The minimal program that exchanges echoes: `epoll_wait`, `read` without parsing, and `write`
//! of a prepared frame.
//!
//! `bare-echo HOST:PORT CONNECTIONS WARM_UP_S WINDOW_S RATE_PER_S` exchanges messages of 11 bytes,
//! and prints the number of echoes within the window and the CPU time used, in nanoseconds.
//! With a rate of 0 it keeps one message in flight on each connection; otherwise it sends on the
//! connections in turn when a message is due, and sleeps in between. Socket settings are
//! those of the engine's own client.
#![expect(clippy::print_stdout, reason = "stdout is its result")]

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::ptr;
use std::time::{Duration, Instant};

const READ_BYTES: usize = 256 * 1024;
/// A masked text frame; a masking key of zeros changes nothing.
const FRAME: &[u8] = b"\x81\x8b\x00\x00\x00\x00hello world";
/// The server's frames carry no masking key.
const ANSWER_BYTES: usize = FRAME.len() - 4;
const EVENTS_MAX: usize = 1024;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, connections, warm_up_s, window_s, rate_per_s] = &arguments[..] else {
        return Err("usage: bare-echo HOST:PORT CONNECTIONS WARM_UP_S WINDOW_S RATE_PER_S".into());
    };
    let streams = (0..connections.parse()?)
        .map(|_| open(address))
        .collect::<Result<Vec<_>, _>>()?;
    let warm_up = Duration::from_secs_f64(warm_up_s.parse()?);
    let window = Duration::from_secs_f64(window_s.parse()?);
    let rate_per_s: f64 = rate_per_s.parse()?;

    let poller = Poller::new()?;
    for (index, stream) in streams.iter().enumerate() {
        stream.set_nonblocking(true)?;
        poller.add(stream, index as u64)?;
    }
    let interval = (rate_per_s > 0.0).then(|| Duration::from_secs_f64(1.0 / rate_per_s));
    let mut exchange = Exchange {
        poller,
        streams,
        interval,
        due_at: Instant::now(),
        next: 0,
        buffer: vec![0; READ_BYTES],
    };
    if interval.is_none() {
        for stream in &mut exchange.streams {
            stream.write_all(FRAME)?;
        }
    }
    exchange.run(warm_up)?;
    let cpu_before = cpu_time()?;
    let echoed = exchange.run(window)?;
    println!(
        "{echoed} {}",
        cpu_time()?.saturating_sub(cpu_before).as_nanos()
    );
    Ok(())
}

/// All connections, and the one that sends next.
struct Exchange {
    poller: Poller,
    streams: Vec<TcpStream>,
    /// Interval between messages of an open loop; `None` for a closed loop.
    interval: Option<Duration>,
    due_at: Instant,
    next: usize,
    buffer: Vec<u8>,
}

impl Exchange {
    /// Runs for `time`; returns the number of echoes.
    fn run(&mut self, time: Duration) -> io::Result<usize> {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; EVENTS_MAX];
        let ends_at = Instant::now() + time;
        let mut read_bytes = 0;
        loop {
            let now = Instant::now();
            if now >= ends_at {
                return Ok(read_bytes / ANSWER_BYTES);
            }
            let wakes_at = self.send_due(now)?.map_or(ends_at, |at| at.min(ends_at));
            for event in self.poller.wait(&mut events, wakes_at - now)? {
                let index = usize::try_from(event.u64).expect("events carry the registered index");
                let stream = &mut self.streams[index];
                match stream.read(&mut self.buffer)? {
                    0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                    read => read_bytes += read,
                }
                if self.interval.is_none() {
                    stream.write_all(FRAME)?;
                }
            }
        }
    }

    /// Sends the due messages of an open loop; returns the time of the next one.
    fn send_due(&mut self, now: Instant) -> io::Result<Option<Instant>> {
        let Some(interval) = self.interval else {
            return Ok(None);
        };
        while self.due_at <= now {
            self.streams[self.next].write_all(FRAME)?;
            self.next = (self.next + 1) % self.streams.len();
            self.due_at += interval;
        }
        Ok(Some(self.due_at))
    }
}

/// The CPU time of this process.
fn cpu_time() -> io::Result<Duration> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` lives until the call returns.
    if unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let seconds = u64::try_from(time.tv_sec).expect("CPU time is not negative");
    let nanos = u32::try_from(time.tv_nsec).expect("below a second");
    Ok(Duration::new(seconds, nanos))
}

fn open(address: &str) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    write!(
        stream,
        "GET /echo HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\n\
         Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Version: 13\r\n\r\n"
    )?;
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.extend_from_slice(&byte);
    }
    Ok(stream)
}

/// `epoll(7)`, level-triggered.
struct Poller {
    descriptor: i32,
}

impl Poller {
    fn new() -> io::Result<Self> {
        // SAFETY: the call takes a flag and returns a descriptor, or -1.
        match unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) } {
            -1 => Err(io::Error::last_os_error()),
            descriptor => Ok(Self { descriptor }),
        }
    }

    fn add(&self, stream: &TcpStream, number: u64) -> io::Result<()> {
        let mut event = libc::epoll_event {
            events: libc::EPOLLIN.cast_unsigned(),
            u64: number,
        };
        // SAFETY: both descriptors are open, and the event lives until the call returns.
        let status = unsafe {
            libc::epoll_ctl(
                self.descriptor,
                libc::EPOLL_CTL_ADD,
                stream.as_raw_fd(),
                &raw mut event,
            )
        };
        if status == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// Waits for input for at most `time`, with nanosecond resolution unlike `epoll_wait`.
    fn wait<'e>(
        &self,
        events: &'e mut [libc::epoll_event; EVENTS_MAX],
        time: Duration,
    ) -> io::Result<&'e [libc::epoll_event]> {
        let room = i32::try_from(EVENTS_MAX).expect("a small constant");
        let seconds = i64::try_from(time.as_secs()).expect("a window is short");
        let timeout = libc::timespec {
            tv_sec: seconds,
            tv_nsec: i64::from(time.subsec_nanos()),
        };
        // SAFETY: `events` has room for `room` events, `timeout` lives until the call
        // returns, and no signal mask is given.
        let count = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.descriptor,
                events.as_mut_ptr(),
                room,
                &raw const timeout,
                ptr::null::<libc::sigset_t>(),
                size_of::<u64>(),
            )
        };
        match usize::try_from(count) {
            Ok(count) => Ok(&events[..count]),
            // A program that was stopped and continues has nothing to read either.
            Err(_) => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => Ok(&events[..0]),
                error => Err(error),
            },
        }
    }
}
