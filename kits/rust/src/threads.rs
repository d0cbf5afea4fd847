//! Runs connections side by side where a library has only blocking calls.

use std::fmt::Display;
use std::thread;

use crate::{Exchanger, Receiver, Workload, fail};

/// Does the workload that the environment asks for: calls the function of it for each connection,
/// each on a thread, and prints the result. The first error ends the program.
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

/// The calling thread has one of the connections: a single one needs no thread of its own.
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
    fn all_connections_run_side_by_side() {
        let barrier = Barrier::new(3);
        call_on_threads(3, || {
            barrier.wait();
            Ok::<_, Infallible>(())
        });
    }
}
