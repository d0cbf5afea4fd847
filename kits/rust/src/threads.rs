//! Runs connections concurrently, for libraries that have only blocking calls.

use std::fmt::Display;
use std::thread;

use crate::{Exchanger, Receiver, Workload, fail};

/// Runs the workload that the environment variables ask for: calls its function once per
/// connection, each on its own thread, and prints the result. The first error ends the program.
pub fn run_on_threads<E: Display>(
    receive: fn(&Receiver) -> Result<(), E>,
    exchange: fn(&Exchanger) -> Result<(), E>,
) {
    match Workload::from_environment() {
        Workload::Receive => {
            let receiver = Receiver::from_environment();
            call_on_threads(receiver.connections(), || receive(receiver));
            receiver.finish();
        }
        Workload::Echo => {
            let exchanger = Exchanger::from_environment();
            call_on_threads(exchanger.connections(), || exchange(exchanger));
            exchanger.finish();
        }
    }
}

/// The calling thread runs one of the connections: a single one needs no additional thread.
fn call_on_threads<E: Display>(connections: u64, work: impl Fn() -> Result<(), E> + Sync) {
    let work = || work().unwrap_or_else(|error| fail(1, &error));
    thread::scope(|scope| {
        for _ in 1..connections {
            scope.spawn(work);
        }
        work();
    });
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn all_connections_run_concurrently() {
        let barrier = Barrier::new(3);
        call_on_threads(3, || {
            barrier.wait();
            Ok::<_, Infallible>(())
        });
    }
}
