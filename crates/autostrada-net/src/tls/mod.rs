//! TLS 1.3 and 1.2 by rustls.

mod buffers;
mod session;
mod setup;
mod stream;
#[cfg(test)]
#[path = "tests/stream.rs"]
mod tests;

pub use setup::{ClientTls, TlsSetupError, configure_server};
pub use stream::{Negotiated, TlsStream};
