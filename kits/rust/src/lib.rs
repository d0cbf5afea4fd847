//! What the Rust contestants share: the settings, the counting and the lines of
//! `docs/contract.md`. A library with blocking reads needs only [`run_on_threads`]; others put
//! the parts together: [`Receiver::from_environment`], [`Receiver::start_counting`],
//! [`Counter::count`], [`Receiver::print_result`].

mod counter;
mod receiver;
mod report;
mod settings;
mod version;

use std::fmt::Display;
use std::{process, thread};

pub use counter::Counter;
pub use receiver::Receiver;
pub use version::locked_version;

/// Calls `receive` for each connection, on a thread of its own, and prints the result. The first
/// error ends the program.
pub fn run_on_threads<E: Display>(receive: impl Fn(&Receiver) -> Result<(), E> + Sync) {
    let receiver = Receiver::from_environment();
    thread::scope(|scope| {
        for _ in 0..receiver.connections() {
            scope.spawn(|| {
                if let Err(error) = receive(&receiver) {
                    fail(1, &error);
                }
            });
        }
    });
    receiver.print_result();
}

/// Ends the program with its reason as the last line on stderr.
pub fn fail(status: i32, reason: &dyn Display) -> ! {
    eprintln!("{reason}");
    process::exit(status)
}
