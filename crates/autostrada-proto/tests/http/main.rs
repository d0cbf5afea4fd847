//! HTTP/1.1 for long-polling, against RFC 9112 and what other implementations send.

mod client;
mod server;
