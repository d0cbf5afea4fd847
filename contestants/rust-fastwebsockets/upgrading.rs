//! Upgrades requests with fastwebsockets, as its documentation shows: hyper serves the request, and
//! a task the WebSocket.

use fastwebsockets::WebSocketError;
use fastwebsockets::upgrade::upgrade;
use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::echoing::{echo, echo_flushed};
use crate::feed::{self, Subscribers};

pub async fn handle<S>(
    stream: S,
    is_tls: bool,
    subscribers: &'static Subscribers,
) -> Result<(), WebSocketError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(async |mut request: Request<Incoming>| {
        let (response, upgrading) = upgrade(&mut request)?;
        match request.uri().path() {
            "/feed" => drop(tokio::spawn(feed::subscribe(upgrading, subscribers))),
            _ if is_tls => drop(tokio::spawn(echo_flushed(upgrading))),
            _ => drop(tokio::spawn(echo(upgrading))),
        }
        Ok::<Response<Empty<Bytes>>, WebSocketError>(response)
    });
    let serving = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    Ok(serving.with_upgrades().await?)
}
