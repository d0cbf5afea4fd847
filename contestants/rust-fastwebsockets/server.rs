//! Serves with fastwebsockets, as its documentation shows: hyper serves the request, and `upgrade`
//! makes it a WebSocket in a task of its own.

mod collecting;
mod splitting;

use std::io;

use autostrada_kit::Server;
use fastwebsockets::WebSocketError;
use fastwebsockets::upgrade::upgrade;
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::spawn;
use tokio_rustls::TlsAcceptor;

#[tokio::main]
async fn main() -> io::Result<()> {
    let server = Server::from_environment();
    let listener = TcpListener::bind(server.address()).await?;
    let tls = server.tls.map(TlsAcceptor::from);
    loop {
        let (stream, _) = listener.accept().await?;
        let tls = tls.clone();
        spawn(async move {
            match tls {
                None => handle(stream, false).await,
                Some(tls) => handle(tls.accept(stream).await?, true).await,
            }
        });
    }
}

async fn handle<S>(stream: S, is_tls: bool) -> Result<(), WebSocketError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(async |mut request: Request<Incoming>| {
        let (response, upgrading) = upgrade(&mut request)?;
        match request.uri().path() {
            "/echo" if is_tls => drop(spawn(splitting::echo(upgrading))),
            "/echo" => drop(spawn(collecting::echo(upgrading))),
            "/publish" => drop(spawn(collecting::publish(upgrading))),
            "/subscribe" => drop(spawn(splitting::subscribe(upgrading))),
            _ => return Ok(Response::builder().status(404).body(Empty::new()).unwrap()),
        }
        Ok::<_, WebSocketError>(response)
    });
    let serving = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    Ok(serving.with_upgrades().await?)
}
