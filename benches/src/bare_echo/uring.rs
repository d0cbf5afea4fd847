//! The loop over `io_uring(7)`: multishot receives into provided buffers, and sends without
//! completions, of registered files.

use std::convert::Infallible;
use std::io;
use std::net::TcpStream;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::types::{BufRingEntry, Fixed};
use io_uring::{IoUring, SubmissionQueue, Submitter, cqueue, opcode, squeue};

use crate::frame::{MissingBytes, text_frame};

/// A longer echo arrives in several buffers.
const BUFFER_BYTES: usize = 256;
const BUFFERS_MIN: usize = 16;
/// The kernel's maximum.
const BUFFERS_MAX: usize = 1 << 15;
const SUBMISSIONS_MAX: usize = 1 << 12;
const COMPLETIONS_MAX: usize = 1 << 16;
/// Mark of a send in the user data, beside the index of its connection.
const IS_SEND: u64 = 1 << 32;

/// Keeps one message in flight on each connection.
pub fn run(streams: &[TcpStream], message: &[u8]) -> io::Result<Infallible> {
    let frame = text_frame(message);
    let mut missing = MissingBytes::new(streams.len(), &frame);
    let slots = streams.len().next_power_of_two().max(BUFFERS_MIN);
    let mut buffers = Buffers::new(slots.min(BUFFERS_MAX));
    let mut ring: IoUring = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_cqsize(as_u32((2 * slots).min(COMPLETIONS_MAX)))
        .build(as_u32(slots.min(SUBMISSIONS_MAX)))?;
    let (mut submitter, queue, mut completions) = ring.split();
    submitter.register_ring_fd()?;
    let descriptors: Vec<RawFd> = streams.iter().map(AsRawFd::as_raw_fd).collect();
    submitter.register_files(&descriptors)?;
    buffers.register(&submitter)?;
    let mut submissions = Submissions {
        submitter,
        queue,
        frame: &frame,
    };
    for index in 0..as_u32(streams.len()) {
        submissions.receive(index)?;
        submissions.send(index)?;
    }
    loop {
        submissions.submit_and_wait()?;
        completions.sync();
        for completion in &mut completions {
            let received = usize::try_from(completion.result());
            if let Some(buffer) = cqueue::buffer_select(completion.flags()) {
                buffers.give(buffer);
            }
            let index = u32::try_from(completion.user_data());
            match (index, received) {
                (Ok(_), Ok(0)) => return Err(io::ErrorKind::UnexpectedEof.into()),
                (Ok(index), Ok(received)) => {
                    if !cqueue::more(completion.flags()) {
                        submissions.receive(index)?;
                    }
                    if missing.is_complete(index as usize, received) {
                        submissions.send(index)?;
                    }
                }
                // All buffers are in use.
                (Ok(index), Err(_)) if completion.result() == -libc::ENOBUFS => {
                    submissions.receive(index)?;
                }
                _ => return Err(io::Error::from_raw_os_error(-completion.result())),
            }
        }
        buffers.publish();
    }
}

/// The queue of submissions, which are executed all at once when the loop waits.
struct Submissions<'r> {
    submitter: Submitter<'r>,
    queue: SubmissionQueue<'r>,
    frame: &'r [u8],
}

impl Submissions<'_> {
    /// Receives from now on, until a completion says that there are no more.
    fn receive(&mut self, index: u32) -> io::Result<()> {
        let entry = opcode::RecvMulti::new(Fixed(index), 0).build();
        self.push(&entry.user_data(index.into()))
    }

    /// Sends the message; only a failure has a completion.
    fn send(&mut self, index: u32) -> io::Result<()> {
        let length = as_u32(self.frame.len());
        let entry = opcode::Send::new(Fixed(index), self.frame.as_ptr(), length)
            .build()
            .flags(squeue::Flags::SKIP_SUCCESS)
            .user_data(IS_SEND | u64::from(index));
        self.push(&entry)
    }

    fn push(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        // SAFETY: the frame and the registered buffers outlive the ring.
        while unsafe { self.queue.push(entry) }.is_err() {
            self.queue.sync();
            self.submitter.submit()?;
            self.queue.sync();
        }
        Ok(())
    }

    fn submit_and_wait(&mut self) -> io::Result<()> {
        self.queue.sync();
        let status = self.submitter.submit_and_wait(1);
        self.queue.sync();
        match status {
            // A program that was stopped and continues has nothing to read either.
            Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }
}

/// A page, to which the kernel requires the ring of buffers to be aligned.
#[derive(Clone)]
#[repr(align(4096))]
struct Page {
    _bytes: [u8; 4096],
}

/// Buffers provided to the kernel, which selects one for each completion.
struct Buffers {
    /// Memory of the ring of entries; the kernel reads it.
    entries: Vec<Page>,
    bytes: Vec<u8>,
    count: u16,
    tail: u16,
}

impl Buffers {
    /// Allocates a number of buffers, a power of two.
    fn new(count: usize) -> Self {
        let pages = (count * size_of::<BufRingEntry>()).div_ceil(size_of::<Page>());
        Self {
            entries: vec![Page { _bytes: [0; 4096] }; pages],
            bytes: vec![0; count * BUFFER_BYTES],
            count: u16::try_from(count).expect("at most 1 << 15"),
            tail: 0,
        }
    }

    /// Provides all buffers to a ring, which must end before them.
    fn register(&mut self, submitter: &Submitter<'_>) -> io::Result<()> {
        let address = self.ring() as u64;
        // SAFETY: the memory is aligned, has room for `count` entries, and outlives the ring.
        unsafe { submitter.register_buf_ring_with_flags(address, self.count, 0, 0)? };
        for buffer in 0..self.count {
            self.give(buffer);
        }
        self.publish();
        Ok(())
    }

    fn ring(&mut self) -> *mut BufRingEntry {
        self.entries.as_mut_ptr().cast()
    }

    /// Gives a buffer to the kernel, which sees it when it is published.
    fn give(&mut self, buffer: u16) {
        let slot = usize::from(self.tail & (self.count - 1));
        let bytes = &mut self.bytes[usize::from(buffer) * BUFFER_BYTES..][..BUFFER_BYTES];
        let (address, length) = (bytes.as_mut_ptr() as u64, as_u32(bytes.len()));
        // SAFETY: the slot is in the ring, and its entry is not the kernel's until published.
        let entry = unsafe { &mut *self.ring().add(slot) };
        entry.set_addr(address);
        entry.set_len(length);
        entry.set_bid(buffer);
        self.tail = self.tail.wrapping_add(1);
    }

    fn publish(&mut self) {
        // SAFETY: the ring begins with an entry, in which the kernel has the tail.
        let tail = unsafe { AtomicU16::from_ptr(BufRingEntry::tail(self.ring()).cast_mut()) };
        tail.store(self.tail, Ordering::Release);
    }
}

fn as_u32(number: usize) -> u32 {
    u32::try_from(number).expect("sizes are small")
}
