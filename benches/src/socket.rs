//! Reads and writes of a non-blocking socket.

use std::io;
use std::os::fd::AsRawFd;

use crate::checked;

/// Receives bytes from a socket that has some; the end of the stream is an error.
pub fn receive(socket: &impl AsRawFd, buffer: &mut [u8]) -> io::Result<usize> {
    let (start, bytes) = (buffer.as_mut_ptr().cast(), buffer.len());
    // SAFETY: the descriptor is open, and the buffer has room for its length.
    match checked(unsafe { libc::recv(socket.as_raw_fd(), start, bytes, 0) })? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        moved => Ok(moved.cast_unsigned()),
    }
}

/// Sends bytes; it is an error if the socket has no room for all.
pub fn send(socket: &impl AsRawFd, bytes: &[u8]) -> io::Result<()> {
    let (start, flags) = (bytes.as_ptr().cast(), libc::MSG_NOSIGNAL);
    // SAFETY: the descriptor is open, and the bytes live until the call returns.
    let moved = unsafe { libc::send(socket.as_raw_fd(), start, bytes.len(), flags) };
    if checked(moved)?.cast_unsigned() == bytes.len() {
        Ok(())
    } else {
        Err(io::ErrorKind::WouldBlock.into())
    }
}
