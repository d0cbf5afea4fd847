//! Waits for input on a connection whose library has only blocking calls.

use std::io;
use std::os::fd::RawFd;
use std::ptr;
use std::time::Duration;

/// Waits until a socket is readable, for at most `limit`; returns whether it is.
///
/// # Errors
///
/// Those of `ppoll`, except an interruption, which ends the wait.
pub fn wait_for_input(socket: RawFd, limit: Duration) -> io::Result<bool> {
    let mut descriptor = libc::pollfd {
        fd: socket,
        events: libc::POLLIN,
        revents: 0,
    };
    let limit = libc::timespec {
        tv_sec: limit.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_nsec: limit.subsec_nanos().into(),
    };
    // SAFETY: both values outlive the call, and the array has one descriptor.
    let ready = unsafe { libc::ppoll(&raw mut descriptor, 1, &raw const limit, ptr::null()) };
    match ready {
        -1 => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(false),
            error => Err(error),
        },
        ready => Ok(ready > 0),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn returns_whether_a_socket_is_readable() {
        let (here, mut there) = UnixStream::pair().unwrap();
        assert!(!wait_for_input(here.as_raw_fd(), Duration::ZERO).unwrap());
        there.write_all(b"hello").unwrap();
        assert!(wait_for_input(here.as_raw_fd(), Duration::from_secs(20)).unwrap());
    }
}
