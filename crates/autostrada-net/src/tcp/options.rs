//! Socket options: `tcp(7)`, `socket(7)`.

use std::io;

use socket2::SockRef;

/// The options of a socket. `None` leaves the choice to the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SocketOptions {
    /// Whether Nagle's algorithm is disabled (`TCP_NODELAY`).
    pub no_delay: bool,
    /// Size of the send buffer in bytes (`SO_SNDBUF`); the kernel doubles and limits it.
    pub send_buffer_bytes: Option<usize>,
    /// Size of the receive buffer in bytes (`SO_RCVBUF`); the kernel doubles and limits it.
    pub receive_buffer_bytes: Option<usize>,
    /// The kernel's name of the congestion control, such as `cubic` (`TCP_CONGESTION`).
    pub congestion_control: Option<String>,
}

impl Default for SocketOptions {
    /// Returns `TCP_NODELAY`, and the kernel's choice for everything else.
    fn default() -> Self {
        Self {
            no_delay: true,
            send_buffer_bytes: None,
            receive_buffer_bytes: None,
            congestion_control: None,
        }
    }
}

impl SocketOptions {
    /// Sets the options. Call it before connecting or listening: the handshake fixes the window
    /// scale, which depends on the buffers.
    pub(crate) fn apply(&self, socket: &SockRef<'_>) -> io::Result<()> {
        socket.set_tcp_nodelay(self.no_delay)?;
        if let Some(name) = &self.congestion_control {
            socket
                .set_tcp_congestion(name.as_bytes())
                .map_err(|cause| no_congestion_control(name, &cause))?;
        }
        self.apply_buffers(socket)
    }

    /// Sets the options that any socket has.
    pub(crate) fn apply_buffers(&self, socket: &SockRef<'_>) -> io::Result<()> {
        if let Some(bytes) = self.send_buffer_bytes {
            socket.set_send_buffer_size(bytes)?;
        }
        if let Some(bytes) = self.receive_buffer_bytes {
            socket.set_recv_buffer_size(bytes)?;
        }
        Ok(())
    }
}

/// Returns the error about a congestion control, which lists the available ones.
fn no_congestion_control(name: &str, cause: &io::Error) -> io::Error {
    let available = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")
        .unwrap_or_default();
    io::Error::new(
        cause.kind(),
        format!(
            "congestion control {name:?} is not available ({cause}); this kernel offers: {}",
            available.trim()
        ),
    )
}
