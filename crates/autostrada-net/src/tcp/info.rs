//! The kernel's metrics of one TCP connection: `TCP_INFO` and `SIOCINQ` of `tcp(7)`.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Size of the buffer for `struct tcp_info`, in bytes: larger than the structure, to which later
/// kernels append fields.
const TCP_INFO_BYTES_MAX: usize = 512;

/// Returns `struct tcp_info`, whose length depends on the version of the kernel.
pub fn tcp_info(socket: BorrowedFd<'_>) -> io::Result<Vec<u8>> {
    let mut info = vec![0_u8; TCP_INFO_BYTES_MAX];
    let mut length = libc::socklen_t::try_from(info.len()).expect("a small constant");
    // SAFETY: the pointers refer to live local values, and `length` is the size of `info`.
    let status = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if status != 0 {
        return Err(io::Error::last_os_error());
    }
    info.truncate(usize::try_from(length).expect("not longer than the buffer"));
    Ok(info)
}

/// Returns the number of bytes that were received and not read.
/// Returns an error if the socket listens.
pub fn unread_bytes(socket: BorrowedFd<'_>) -> io::Result<u64> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: `FIONREAD`, the other name of `SIOCINQ`, writes one int, which is a live local value.
    let status = unsafe { libc::ioctl(socket.as_raw_fd(), libc::FIONREAD, &raw mut bytes) };
    if status != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(u64::try_from(bytes).expect("a count of bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::fd::AsFd;

    #[test]
    fn unread_bytes_are_counted() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        assert_eq!(unread_bytes(client.as_fd()).unwrap(), 0);
        server.write_all(&[7; 5_000]).unwrap();
        client.read_exact(&mut [0; 1_000]).unwrap();
        while unread_bytes(client.as_fd()).unwrap() < 4_000 {
            std::thread::yield_now();
        }
        assert_eq!(unread_bytes(client.as_fd()).unwrap(), 4_000);
    }

    #[test]
    fn another_kind_of_socket_is_an_error() {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        assert!(tcp_info(socket.as_fd()).is_err());
    }
}
