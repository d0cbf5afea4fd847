//! Reads and writes of a non-blocking socket.

use std::io;
use std::net::TcpStream;
use std::os::fd::AsRawFd;

/// Receives bytes from a socket that has some; the end of the stream is an error.
pub fn receive(stream: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the descriptor is open, and the buffer has room for its length.
    let moved = unsafe {
        libc::recv(
            stream.as_raw_fd(),
            buffer.as_mut_ptr().cast(),
            buffer.len(),
            0,
        )
    };
    match usize::try_from(moved) {
        Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
        Ok(moved) => Ok(moved),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

/// Sends bytes; it is an error if the socket has no room for all.
pub fn send(stream: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the bytes live until the call returns.
    let moved = unsafe {
        libc::send(
            stream.as_raw_fd(),
            bytes.as_ptr().cast(),
            bytes.len(),
            libc::MSG_NOSIGNAL,
        )
    };
    match usize::try_from(moved) {
        Ok(moved) if moved == bytes.len() => Ok(()),
        Ok(_) => Err(io::ErrorKind::WouldBlock.into()),
        Err(_) => Err(io::Error::last_os_error()),
    }
}
