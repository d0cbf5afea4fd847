//! Runs connections side by side where a library has only blocking calls.

use std::fmt::Display;
use std::thread;

use crate::{Exchanger, Receiver, Workload, fail};

/// Does the workload that the environment asks for: calls the function of it for each connection,
/// on a thread of its own, and prints the result. The first error ends the program.
pub fn play_on_threads<E: Display>(
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn every_connection_has_a_thread_of_its_own() {
        let barrier = Barrier::new(3);
        call_on_threads(3, || {
            barrier.wait();
            Ok::<_, Infallible>(())
        });
    }
}
