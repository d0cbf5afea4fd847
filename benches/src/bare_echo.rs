//! The least that could exchange echoes: `epoll_wait`, `read` without a look, `write` of a
//! prepared frame.
//!
//! `bare-echo HOST:PORT CONNECTIONS WARM_UP_S WINDOW_S` keeps one message of 11 bytes in flight on
//! each connection, and prints how many came back within the window. Socket settings are those of
//! the engine's own client.
#![expect(clippy::print_stdout, reason = "its one result is what it is for")]

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

const READ_BYTES: usize = 256 * 1024;
/// A masked text frame; a masking key of zeros changes nothing.
const FRAME: &[u8] = b"\x81\x8b\x00\x00\x00\x00hello world";
const EVENTS_MAX: usize = 1024;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, connections, warm_up_s, window_s] = &arguments[..] else {
        return Err("usage: bare-echo HOST:PORT CONNECTIONS WARM_UP_S WINDOW_S".into());
    };
    let mut streams = (0..connections.parse()?)
        .map(|_| open(address))
        .collect::<Result<Vec<_>, _>>()?;
    let warm_up = Duration::from_secs_f64(warm_up_s.parse()?);
    let window = Duration::from_secs_f64(window_s.parse()?);

    let poller = Poller::new()?;
    for (index, stream) in streams.iter().enumerate() {
        stream.set_nonblocking(true)?;
        poller.add(stream, index as u64)?;
    }
    for stream in &mut streams {
        stream.write_all(FRAME)?;
    }
    exchange(&poller, &mut streams, warm_up)?;
    println!("{}", exchange(&poller, &mut streams, window)?);
    Ok(())
}

/// Answers every read with a write until the time is over; returns how many there were.
fn exchange(poller: &Poller, streams: &mut [TcpStream], time: Duration) -> io::Result<u64> {
    let mut buffer = vec![0; READ_BYTES];
    let mut events = [libc::epoll_event { events: 0, u64: 0 }; EVENTS_MAX];
    let ends_at = Instant::now() + time;
    let mut echoed = 0;
    while Instant::now() < ends_at {
        for event in poller.wait(&mut events)? {
            let index = usize::try_from(event.u64).expect("an index that was given");
            let stream = &mut streams[index];
            if stream.read(&mut buffer)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            stream.write_all(FRAME)?;
            echoed += 1;
        }
    }
    Ok(echoed)
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
        // SAFETY: it takes a flag and returns a descriptor, or -1.
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

    fn wait<'e>(
        &self,
        events: &'e mut [libc::epoll_event; EVENTS_MAX],
    ) -> io::Result<&'e [libc::epoll_event]> {
        let room = i32::try_from(EVENTS_MAX).expect("a small constant");
        // SAFETY: `events` has room for as many as it says.
        let count = unsafe { libc::epoll_wait(self.descriptor, events.as_mut_ptr(), room, 100) };
        let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
        Ok(&events[..count])
    }
}
