//! Opens and closes a connection with fastwebsockets, as its documentation shows: hyper sends the
//! request.

use std::error;

use fastwebsockets::{FragmentCollector, Frame, OpCode, WebSocket, WebSocketError, handshake};
use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::header::{CONNECTION, HOST, UPGRADE};
use hyper::http::uri::PathAndQuery;
use hyper::upgrade::Upgraded;
use hyper::{Request, Uri};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;

pub type Error = Box<dyn error::Error + Send + Sync>;
pub type Stream = TokioIo<Upgraded>;

pub async fn connect(url: &str) -> Result<WebSocket<Stream>, Error> {
    let uri: Uri = url.parse()?;
    let (Some(authority), Some("ws")) = (uri.authority(), uri.scheme_str()) else {
        return Err("the library has no TLS of its own: give ws://".into());
    };
    let host = authority.host().trim_matches(['[', ']']);
    let stream = TcpStream::connect((host, authority.port_u16().unwrap_or(80))).await?;
    // hyper sends the target unchanged; RFC 6455 requires a path.
    let path = uri.path_and_query().map_or("/", PathAndQuery::as_str);
    let request = Request::get(path)
        .header(HOST, authority.as_str())
        .header(UPGRADE, "websocket")
        .header(CONNECTION, "upgrade")
        .header("Sec-WebSocket-Key", handshake::generate_key())
        .header("Sec-WebSocket-Version", "13")
        .body(Empty::<Bytes>::new())?;
    let (websocket, _response) = handshake::client(&TokioExecutor::new(), request, stream).await?;
    Ok(websocket)
}

/// Closes with code 1000. The server checks how the connection closes.
pub async fn close(websocket: &mut FragmentCollector<Stream>) {
    if websocket
        .write_frame(Frame::close(1000, b""))
        .await
        .is_err()
    {
        return;
    }
    loop {
        match websocket.read_frame().await {
            Ok(frame) if frame.opcode == OpCode::Close => return,
            // The library's error for a message that arrives after the close frame was sent.
            Ok(_) | Err(WebSocketError::ConnectionClosed) => {}
            Err(_) => return,
        }
    }
}
