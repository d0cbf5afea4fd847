//! Opens a connection of fastwebsockets, as its documentation of `handshake` shows.

use fastwebsockets::{WebSocket, handshake};
use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::header::{CONNECTION, HOST, UPGRADE};
use hyper::upgrade::Upgraded;
use hyper::{Request, Uri};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;

use crate::Error;

pub async fn connect(url: &str) -> Result<WebSocket<TokioIo<Upgraded>>, Error> {
    let uri: Uri = url.parse()?;
    let parts = (uri.scheme_str(), uri.authority(), uri.path_and_query());
    let (Some("ws"), Some(host), Some(path)) = parts else {
        return Err("the library has no TLS of its own: give ws://host:port/path".into());
    };
    let stream = TcpStream::connect(host.as_str()).await?;
    let request = Request::get(path.as_str())
        .header(HOST, host.as_str())
        .header(UPGRADE, "websocket")
        .header(CONNECTION, "upgrade")
        .header("Sec-WebSocket-Key", handshake::generate_key())
        .header("Sec-WebSocket-Version", "13")
        .body(Empty::<Bytes>::new())?;
    let (websocket, _response) = handshake::client(&TokioExecutor::new(), request, stream).await?;
    Ok(websocket)
}
