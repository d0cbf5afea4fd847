//! Echoes messages and sends a feed with tungstenite: one thread per connection, as in its
//! documentation.

mod feed;
mod tls;

use std::io::{Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::thread::spawn;

use autostrada_kit::{ServerSettings, ThreadedSubscribers, run_workers};
use rustls::ServerConfig;
use tungstenite::handshake::server::{Request, Response};
use tungstenite::{Error, Message, WebSocket, accept_hdr};

type Subscribers = ThreadedSubscribers<Message>;

fn main() {
    let settings = ServerSettings::from_environment();
    let tls = settings.tls.as_ref().map(tls::read_config);
    run_workers(settings.workers, || serve(settings, tls));
}

fn serve(settings: &ServerSettings, tls: Option<Arc<ServerConfig>>) {
    let subscribers = Arc::new(Subscribers::new(settings.feed.clone(), feed::to_message));
    for stream in settings.listen().incoming() {
        let (tls, subscribers) = (tls.clone(), Arc::clone(&subscribers));
        spawn(move || {
            let stream = stream?;
            let socket = stream.as_raw_fd();
            match tls {
                None => handle(stream, socket, &subscribers),
                Some(tls) => handle(tls::accept(stream, tls)?, socket, &subscribers),
            }
        });
    }
}

fn handle<S: Read + Write>(stream: S, socket: RawFd, all: &Subscribers) -> Result<(), Error> {
    let mut path = String::new();
    let callback = |request: &Request, response: Response| {
        request.uri().path().clone_into(&mut path);
        Ok(response)
    };
    let mut websocket = accept_hdr(stream, callback).map_err(|_refused| Error::ConnectionClosed)?;
    match path.as_str() {
        "/feed" => feed::send(&mut websocket, socket, all),
        _ => echo(&mut websocket),
    }
}

fn echo<S: Read + Write>(websocket: &mut WebSocket<S>) -> Result<(), Error> {
    loop {
        let message = websocket.read()?;
        if message.is_binary() || message.is_text() {
            websocket.send(message)?;
        }
    }
}
