//! Opens a connection: socket settings of the engine's client, and the handshake of RFC 6455.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;

use crate::checked;

/// Congestion control over loopback, where there is no congestion.
const RENO: &[u8] = b"reno";
const HEAD_BYTES_MAX: usize = 4096;
const HEAD_END: &[u8] = b"\r\n\r\n";

/// Connects a socket with the settings of the engine's client.
pub fn connect(address: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    if stream.peer_addr()?.ip().is_loopback() {
        set_congestion_control(&stream, RENO)?;
    }
    Ok(stream)
}

/// Path of the echo.
pub const ECHO: &str = "/echo";

/// Sends the opening request with additional header fields; returns the head of the response, and the
/// number of bytes of messages that came with it.
pub fn upgrade(
    stream: &mut (impl Read + Write),
    address: &str,
    path: &str,
    fields: &str,
) -> io::Result<(String, usize)> {
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\n\
         Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Version: 13\r\n{fields}\r\n"
    );
    stream.write_all(request.as_bytes())?;
    let mut head = vec![0; HEAD_BYTES_MAX];
    let mut filled = 0;
    let end = loop {
        match stream.read(&mut head[filled..])? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            moved => filled += moved,
        }
        let mut windows = head[..filled].windows(HEAD_END.len());
        if let Some(start) = windows.position(|window| window == HEAD_END) {
            break start + HEAD_END.len();
        }
    };
    head.truncate(end);
    let head = String::from_utf8_lossy(&head).into_owned();
    if head.starts_with("HTTP/1.1 101 ") {
        Ok((head, filled - end))
    } else {
        Err(io::Error::other(format!(
            "the server does not open a WebSocket: {head}"
        )))
    }
}

fn set_congestion_control(stream: &TcpStream, name: &[u8]) -> io::Result<()> {
    let length = libc::socklen_t::try_from(name.len()).expect("a name is short");
    // SAFETY: the descriptor is open, and the name lives until the call returns.
    let status = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_CONGESTION,
            name.as_ptr().cast(),
            length,
        )
    };
    checked(status).map(drop)
}
