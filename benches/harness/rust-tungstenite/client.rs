//! The smallest program that receives with tungstenite's blocking client.

use std::env::var;
use std::error::Error;

use tungstenite::{Message, connect};

fn main() -> Result<(), Box<dyn Error>> {
    let messages: u64 = var("MESSAGES")?.parse()?;
    let (mut socket, _response) = connect(var("URL")?)?;
    let mut count = 0;
    while count < messages {
        if let Message::Text(_) = socket.read()? {
            count += 1;
        }
    }
    socket.close(None)?;
    // Reading completes the closing handshake and then returns an error.
    while socket.read().is_ok() {}
    Ok(())
}
