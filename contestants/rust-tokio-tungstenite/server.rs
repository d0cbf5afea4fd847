//! Serves with tokio-tungstenite, as its documentation shows: a task for each connection, which is
//! a stream and a sink of messages.

mod subscribing;

use std::io;

use autostrada_kit::Server;
use futures_util::{StreamExt, TryStreamExt, future};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::{Message, Result, http};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

#[tokio::main]
async fn main() -> io::Result<()> {
    let server = Server::from_environment();
    let listener = TcpListener::bind(server.address()).await?;
    let tls = server.tls.map(TlsAcceptor::from);
    loop {
        let (stream, _) = listener.accept().await?;
        let tls = tls.clone();
        tokio::spawn(async move {
            match tls {
                None => handle(stream).await,
                Some(tls) => handle(tls.accept(stream).await?).await,
            }
        });
    }
}

async fn handle(stream: impl AsyncRead + AsyncWrite + Unpin) -> Result<()> {
    let mut path = String::new();
    let callback = |request: &Request, response: Response| {
        request.uri().path().clone_into(&mut path);
        match path.as_str() {
            "/echo" | "/publish" | "/subscribe" => Ok(response),
            _ => Err(http::Response::builder().status(404).body(None).unwrap()),
        }
    };
    let socket = accept_hdr_async(stream, callback).await?;
    match path.as_str() {
        "/echo" => echo(socket).await,
        "/publish" => subscribing::publish(socket).await,
        _ => subscribing::subscribe(socket).await,
    }
}

async fn echo(socket: WebSocketStream<impl AsyncRead + AsyncWrite + Unpin>) -> Result<()> {
    let (write, read) = socket.split();
    let is_echoed = |message: &Message| future::ready(message.is_text() || message.is_binary());
    read.try_filter(is_echoed).forward(write).await
}
