//! Runs connections concurrently, with one task per connection.

use std::fmt::Display;

use autostrada_kit::fail;
use tokio::task::JoinSet;

/// Spawns a task for each connection. The first error ends the program.
pub async fn run<E, F>(connections: u64, connect: impl Fn() -> F)
where
    E: Display + Send + 'static,
    F: Future<Output = Result<(), E>> + Send + 'static,
{
    let mut tasks: JoinSet<_> = (0..connections).map(|_| connect()).collect();
    while let Some(played) = tasks.join_next().await {
        if let Err(error) = played.expect("no task panics, and none is cancelled") {
            fail(1, &error);
        }
    }
}
