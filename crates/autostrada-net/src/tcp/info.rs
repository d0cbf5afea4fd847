//! What the kernel knows of one TCP connection: `tcp(7)`, `TCP_INFO` and `SIOCINQ`.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Where `tcpi_bytes_acked` lies in the kernel's `struct tcp_info`: after 8 bytes, 24
/// words of 32 bits and two of 64. The kernel only ever appends to this structure.
const BYTES_ACKED_AT: usize = 8 + 24 * 4 + 2 * 8;
const LENGTH: usize = BYTES_ACKED_AT + 8;

/// Returns how many bytes the peer's kernel has acknowledged since the connection began.
///
/// # Errors
///
/// When the socket is no TCP socket, or the kernel is older than 4.1.
pub fn bytes_acknowledged(socket: BorrowedFd<'_>) -> io::Result<u64> {
    let mut info = [0_u8; LENGTH];
    let mut length = libc::socklen_t::try_from(LENGTH).expect("a small constant");
    // SAFETY: the pointers are to live local values, and `length` is the size of `info`.
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
    if usize::try_from(length).is_ok_and(|length| length < LENGTH) {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "TCP_INFO has no tcpi_bytes_acked: Linux 4.1 or newer is needed",
        ));
    }
    let (_, field) = info.split_at(BYTES_ACKED_AT);
    Ok(u64::from_ne_bytes(
        field.try_into().expect("the array ends with this field"),
    ))
}

/// Returns how many bytes have come and were not read.
///
/// # Errors
///
/// When the socket listens, or is none.
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
    fn counts_what_the_peer_has_received() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        let before = bytes_acknowledged(server.as_fd()).unwrap();
        server.write_all(&[7; 5_000]).unwrap();
        client.read_exact(&mut [0; 5_000]).unwrap();
        client.write_all(b"x").unwrap();
        server.read_exact(&mut [0]).unwrap();
        assert_eq!(bytes_acknowledged(server.as_fd()).unwrap() - before, 5_000);
    }

    #[test]
    fn tells_what_was_not_read() {
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
        assert!(bytes_acknowledged(socket.as_fd()).is_err());
    }
}
