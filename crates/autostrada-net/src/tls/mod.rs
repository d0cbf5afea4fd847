//! TLS 1.3 and 1.2 by rustls.

mod setup;
mod stream;

pub use setup::{ClientTls, TlsSetupError, configure_server};
pub use stream::{Negotiated, TlsStream};
