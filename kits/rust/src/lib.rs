//! What the Rust contestants share: the settings, the counting and the lines of
//! `docs/contract.md`. A library with blocking calls needs only [`run_on_threads`]; others put
//! the parts together: [`Receiver`] and [`Counter`], or [`Exchanger`].

mod counter;
mod exchanger;
mod receiver;
mod report;
mod settings;
mod version;

use std::fmt::Display;
use std::{env, process, thread};

pub use counter::Counter;
pub use exchanger::Exchanger;
pub use receiver::Receiver;
pub use settings::Workload;
pub use version::locked_version;

/// Does the workload that the environment asks for: calls `receive` or `echo` for each connection,
/// on a thread of its own, and prints the result. The first error ends the program.
pub fn run_on_threads<E: Display>(
    receive: impl Fn(&Receiver) -> Result<(), E> + Sync,
    echo: impl Fn(&Exchanger) -> Result<(), E> + Sync,
) {
    match Workload::parse(look_up).unwrap_or_else(|reason| fail(2, &reason)) {
        Workload::Receive => {
            let receiver = Receiver::from_environment();
            call_on_threads(receiver.connections(), || receive(&receiver));
            receiver.print_result();
        }
        Workload::Echo => {
            let exchanger = Exchanger::from_environment();
            call_on_threads(exchanger.connections(), || echo(&exchanger));
            exchanger.print_result();
        }
    }
}

fn call_on_threads<E: Display>(connections: u64, work: impl Fn() -> Result<(), E> + Sync) {
    thread::scope(|scope| {
        for _ in 0..connections {
            scope.spawn(|| {
                if let Err(error) = work() {
                    fail(1, &error);
                }
            });
        }
    });
}

fn look_up(name: &str) -> Option<String> {
    Some(env::var_os(name)?.to_string_lossy().into_owned())
}

/// Ends the program with its reason as the last line on stderr.
pub fn fail(status: i32, reason: &dyn Display) -> ! {
    eprintln!("{reason}");
    process::exit(status)
}
