//! Reads from, or writes to, many sockets by one system call, through `io_uring(7)`.

use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd};

use io_uring::types::Fd;
use io_uring::{IoUring, opcode, squeue};
use rustix::io::Errno;

use super::stream::{Stream, Transfer, to_transfer};

/// Maximum number of bytes of all calls of a batch together.
const BYTES_MAX: usize = 64 * 1024;

/// Result of a call that the kernel has not executed: as if a signal had interrupted it.
const NOT_EXECUTED: i32 = -libc::EINTR;

/// Calls of one thread that are executed by one system call, where the kernel allows it.
///
/// Each does what [`Stream::read`] or [`Stream::write`] does, and is over when
/// [`execute`](Self::execute) returns. A batch belongs to the thread that created it.
pub struct Batch {
    /// `None` if the kernel is older than 6.1, or forbids `io_uring(7)`, as many containers do.
    ring: Option<IoUring>,
    /// The bytes of all calls, one after the other. The kernel uses them until it has returned all
    /// results, or the ring is dropped.
    bytes: Box<[u8]>,
    calls: Vec<Call>,
}

/// One read or write.
#[derive(Debug)]
struct Call {
    /// The caller's name of the socket.
    key: usize,
    /// Where its bytes are.
    range: Range<usize>,
    /// What the kernel has returned: the number of bytes, or a negative error.
    result: i32,
}

/// What became of a call.
#[derive(Debug)]
pub struct Done<'b> {
    /// The caller's name of the socket.
    pub key: usize,
    /// The bytes to be written, or room for those to be read.
    pub bytes: &'b [u8],
    /// What [`Stream`] would have returned; `None` if the kernel has not executed the call.
    pub moved: io::Result<Option<Transfer>>,
}

impl Done<'_> {
    /// Whether as many bytes were moved as could be.
    #[inline]
    pub fn is_complete(&self) -> bool {
        matches!(self.moved, Ok(Some(Transfer::Bytes(moved))) if moved == self.bytes.len())
    }
}

impl Batch {
    /// Maximum number of calls of a batch.
    pub const CALLS_MAX: usize = 32;

    /// Number of bytes that a call reads at most.
    pub const READ_BYTES: usize = BYTES_MAX / Self::CALLS_MAX;

    /// Asks the kernel for a ring of this thread.
    pub fn new() -> Self {
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .build(u32::try_from(Self::CALLS_MAX).expect("a small constant"));
        Self::with_ring(ring.ok())
    }

    fn with_ring(ring: Option<IoUring>) -> Self {
        Self {
            ring,
            bytes: vec![0; BYTES_MAX].into_boxed_slice(),
            calls: Vec::with_capacity(Self::CALLS_MAX),
        }
    }

    /// Whether the kernel executes batches of this thread.
    pub fn is_available(&self) -> bool {
        self.ring.is_some()
    }

    /// Adds a read; returns whether there was room for it.
    ///
    /// The socket must stay open until the batch is executed.
    #[inline]
    pub fn read(&mut self, key: usize, stream: &Stream) -> bool {
        self.push(key, Self::READ_BYTES, |room| {
            opcode::Recv::new(descriptor(stream), room.as_mut_ptr(), length(room))
                .flags(libc::MSG_DONTWAIT)
                .build()
        })
    }

    /// Adds a write; returns whether there was room for it.
    ///
    /// The socket must stay open until the batch is executed.
    #[inline]
    pub fn write(&mut self, key: usize, stream: &Stream, bytes: &[u8]) -> bool {
        self.push(key, bytes.len(), |room| {
            room.copy_from_slice(bytes);
            opcode::Send::new(descriptor(stream), room.as_ptr(), length(room))
                .flags(libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL)
                .build()
        })
    }

    #[inline]
    fn push(
        &mut self,
        key: usize,
        size: usize,
        entry: impl FnOnce(&mut [u8]) -> squeue::Entry,
    ) -> bool {
        let begin = self.calls.last().map_or(0, |call| call.range.end);
        let (Some(ring), Some(room)) = (&mut self.ring, self.bytes[begin..].get_mut(..size)) else {
            return false;
        };
        if self.calls.len() == Self::CALLS_MAX {
            return false;
        }
        let entry = entry(room).user_data(self.calls.len() as u64);
        // SAFETY: the bytes stay where they are, and are not used, until the kernel has returned a
        // result for each call or the ring is dropped.
        unsafe { ring.submission().push(&entry) }.expect("there are as many entries as calls");
        self.calls.push(Call {
            key,
            range: begin..begin + size,
            result: NOT_EXECUTED,
        });
        true
    }

    /// Executes all calls; [`done`](Self::done) returns what became of them.
    pub fn execute(&mut self) {
        if let Some(ring) = &mut self.ring
            && submit(ring, &mut self.calls).is_err()
        {
            // What the kernel has not taken is dropped with the ring.
            self.ring = None;
        }
    }

    /// Returns what became of a call, by its position; `None` if there are fewer calls.
    #[inline]
    pub fn done(&self, position: usize) -> Option<Done<'_>> {
        let call = self.calls.get(position)?;
        Some(Done {
            key: call.key,
            bytes: &self.bytes[call.range.clone()],
            moved: match usize::try_from(call.result) {
                Ok(0) => Ok(Some(Transfer::Ended)),
                Ok(bytes) => to_transfer(Ok(bytes)),
                Err(_) => to_transfer(Err(Errno::from_raw_os_error(-call.result))),
            },
        })
    }

    /// Removes all calls, which must have been executed.
    pub fn clear(&mut self) {
        debug_assert!(
            self.ring
                .as_mut()
                .is_none_or(|ring| ring.submission().is_empty()),
            "the kernel would execute what was not"
        );
        self.calls.clear();
    }
}

impl Default for Batch {
    fn default() -> Self {
        Self::new()
    }
}

fn descriptor(stream: &Stream) -> Fd {
    Fd(stream.as_fd().as_raw_fd())
}

fn length(room: &[u8]) -> u32 {
    u32::try_from(room.len()).expect("a batch is smaller")
}

/// Submits all calls, and waits until each has a result.
fn submit(ring: &mut IoUring, calls: &mut [Call]) -> io::Result<()> {
    let mut awaited = calls.len();
    while awaited > 0 {
        let submitted = ring.submit_and_wait(awaited);
        for completion in ring.completion() {
            let position = usize::try_from(completion.user_data()).expect("it was a usize");
            calls[position].result = completion.result();
            awaited -= 1;
        }
        match submitted {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "tests/batch.rs"]
mod tests;
