//! Echoes messages and sends a feed with tokio-tungstenite: one task per connection.

mod closing;
mod feed;
mod tls;

use autostrada_kit::{ServerSettings, fail, run_workers};
use futures_util::{StreamExt, TryStreamExt, future};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

fn main() {
    let settings = ServerSettings::from_environment();
    let tls = settings.tls.as_ref().map(tls::read_acceptor);
    let serve = || serve(settings, tls).unwrap_or_else(|error| fail(1, &error));
    run_workers(settings.workers, serve);
}

#[tokio::main]
async fn serve(settings: &ServerSettings, tls: Option<TlsAcceptor>) -> std::io::Result<()> {
    let all: &'static _ = Box::leak(Box::new(feed::Subscribers::new(settings.feed.clone())));
    let listener = settings.listen();
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        let tls = tls.clone();
        tokio::spawn(async move {
            match tls {
                None => handle(stream, all).await,
                Some(tls) => handle(tls.accept(stream).await?, all).await,
            }
        });
    }
}

async fn handle<S>(stream: S, subscribers: &feed::Subscribers) -> Result<(), Error>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut path = String::new();
    let callback = |request: &Request, response: Response| {
        request.uri().path().clone_into(&mut path);
        Ok(response)
    };
    let socket = accept_hdr_async(stream, callback).await?;
    match path.as_str() {
        "/feed" => feed::send(socket, subscribers).await,
        _ => echo(socket).await,
    }
}

async fn echo<S: AsyncRead + AsyncWrite + Unpin>(socket: WebSocketStream<S>) -> Result<(), Error> {
    let (write, read) = socket.split();
    let is_echoed = |message: &Message| future::ready(message.is_text() || message.is_binary());
    read.try_filter(is_echoed).forward(write).await
}
