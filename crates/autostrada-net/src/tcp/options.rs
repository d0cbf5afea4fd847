//! What a socket can be told: `tcp(7)`, `socket(7)`.

use std::io;

use socket2::SockRef;

/// What a socket can be told beside its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SocketOptions {
    /// `TCP_NODELAY`.
    pub no_delay: bool,
    /// `SO_SNDBUF`; the kernel doubles it for its own use, and bounds it.
    pub send_buffer_bytes: Option<usize>,
    /// `SO_RCVBUF`, likewise.
    pub receive_buffer_bytes: Option<usize>,
    /// As the kernel names it.
    pub congestion_control: Option<String>,
}

impl Default for SocketOptions {
    /// `TCP_NODELAY`, and the kernel's choice of everything else.
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
    /// Buffers must be set before connecting or listening: the window is announced then.
    pub(crate) fn apply(&self, socket: &SockRef<'_>) -> io::Result<()> {
        socket.set_tcp_nodelay(self.no_delay)?;
        if let Some(bytes) = self.send_buffer_bytes {
            socket.set_send_buffer_size(bytes)?;
        }
        if let Some(bytes) = self.receive_buffer_bytes {
            socket.set_recv_buffer_size(bytes)?;
        }
        if let Some(name) = &self.congestion_control {
            set_congestion_control(socket, name)?;
        }
        Ok(())
    }
}

/// Sets the congestion control; where it cannot be had, the error says which can.
pub(crate) fn set_congestion_control(socket: &SockRef<'_>, name: &str) -> io::Result<()> {
    socket
        .set_tcp_congestion(name.as_bytes())
        .map_err(|cause| no_congestion_control(name, &cause))
}

fn no_congestion_control(name: &str, cause: &io::Error) -> io::Error {
    let available = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")
        .unwrap_or_default();
    io::Error::new(
        cause.kind(),
        format!(
            "congestion control {name:?} cannot be had ({cause}); this kernel offers: {}",
            available.trim()
        ),
    )
}
