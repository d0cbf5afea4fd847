//! Bots with tungstenite: a socket that does not block, so that one thread sends when it is due and
//! reads what has come.

use std::io::ErrorKind::WouldBlock;
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::Duration;

use autostrada_kit::{Bots, Received, wait_for_input};
use tungstenite::{Message, connect, error::Error, stream::MaybeTlsStream};

use crate::close;

pub fn send_when_due(bots: &Bots) -> Result<(), Error> {
    let (mut socket, _response) = connect(bots.url())?;
    let stream = plain(socket.get_ref()).try_clone()?;
    let bot = bots.opened();
    bots.wait_for_start();
    stream.set_nonblocking(true)?;
    while !bot.is_over() {
        if bot.time_to_event() == Some(Duration::ZERO) {
            let event = Message::text(bot.next_event());
            unless_it_blocks(socket.send(event))?;
        }
        match unless_it_blocks(socket.read())? {
            Some(Message::Text(text)) => bot.answered(Received::Text(text.as_bytes())),
            Some(Message::Binary(bytes)) => bot.answered(Received::Binary(&bytes)),
            Some(_control) => {} // The library answers it itself.
            None => {
                // The library keeps what the socket has had no room for.
                unless_it_blocks(socket.flush())?;
                let limit = bot.time_to_event().unwrap_or_else(|| bot.time_to_end());
                wait_for_input(stream.as_raw_fd(), limit)?;
            }
        }
    }
    stream.set_nonblocking(false)?;
    close(&mut socket);
    Ok(())
}

fn unless_it_blocks<T>(done: Result<T, Error>) -> Result<Option<T>, Error> {
    match done {
        Ok(value) => Ok(Some(value)),
        Err(Error::Io(error)) if error.kind() == WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}

fn plain(stream: &MaybeTlsStream<TcpStream>) -> &TcpStream {
    match stream {
        MaybeTlsStream::Plain(stream) => stream,
        _ => unreachable!("the library is built without TLS for clients"),
    }
}
