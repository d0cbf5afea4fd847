//! Shared code of the Rust contestants: `docs/contract.md`, sections 2 to 4. A client has a
//! [`Client`] and a [`Connection`] for each connection; a server has a [`Server`].

mod client;
mod server;
mod variables;

use std::fmt::Display;
use std::process;

pub use client::{Action, Client, Connection, is_end_of_stream};
pub use server::Server;

/// Ends the program with the reason as the last line on stderr.
pub fn fail(status: i32, reason: &dyn Display) -> ! {
    eprintln!("{reason}");
    process::exit(status)
}
