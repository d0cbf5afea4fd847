//! Serves with tungstenite, as its documentation shows: a thread for each connection, `accept_hdr`
//! with a callback that receives the path, `read` and `send` for each message.

mod subscribing;

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::spawn;

use autostrada_kit::Server;
use rustls::{ServerConnection, StreamOwned};
use tungstenite::handshake::server::{Request, Response};
use tungstenite::{Error, WebSocket, accept_hdr, http};

fn main() -> io::Result<()> {
    let server = Server::from_environment();
    for stream in TcpListener::bind(server.address())?.incoming() {
        let tls = server.tls.clone();
        spawn(move || {
            let stream = stream?;
            let Some(tls) = tls else {
                return handle(stream, |stream| stream);
            };
            let tls = ServerConnection::new(tls).map_err(io::Error::other)?;
            handle(StreamOwned::new(tls, stream), |stream| &stream.sock)
        });
    }
    Ok(())
}

fn handle<S>(stream: S, tcp: fn(&S) -> &TcpStream) -> Result<(), Error>
where
    S: Read + Write + Send + 'static,
{
    let mut path = String::new();
    let callback = |request: &Request, response: Response| {
        request.uri().path().clone_into(&mut path);
        match path.as_str() {
            "/echo" | "/publish" | "/subscribe" => Ok(response),
            _ => Err(http::Response::builder().status(404).body(None).unwrap()),
        }
    };
    let websocket = accept_hdr(stream, callback).map_err(|_refused| Error::ConnectionClosed)?;
    match path.as_str() {
        "/echo" => echo(websocket),
        "/publish" => subscribing::publish(websocket),
        _ => subscribing::subscribe(websocket, tcp),
    }
}

fn echo(mut websocket: WebSocket<impl Read + Write>) -> Result<(), Error> {
    loop {
        let message = websocket.read()?;
        if message.is_binary() || message.is_text() {
            websocket.send(message)?;
        }
    }
}
