//! Socket.IO over Engine.IO: by WebSocket, and by polling.

mod event;
mod session;
mod socket;

pub use event::Events;
pub use session::{Heard, PacketSink, Session, open_packet, random_name};
pub use socket::SocketIo;
