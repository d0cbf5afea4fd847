//! The smallest program that receives with tungstenite's blocking client.

use std::env::var;
use std::error::Error;

use tungstenite::connect;

fn main() -> Result<(), Box<dyn Error>> {
    let messages: u64 = var("MESSAGES")?.parse()?;
    let (mut socket, _response) = connect(var("URL")?)?;
    for _ in 0..messages {
        socket.read()?;
    }
    socket.close(None)?;
    // Reading completes the closing handshake and then returns an error.
    while socket.read().is_ok() {}
    Ok(())
}
