//! Echoes, and feeds an audience, with fastwebsockets: a task for each connection.

mod feed;
mod splitting;
mod tls;
mod upgrading;

use autostrada_kit::{ServerSettings, fail, run_workers};
use fastwebsockets::upgrade::UpgradeFut;
use fastwebsockets::{FragmentCollector, OpCode, WebSocketError};
use tokio::net::TcpListener;

fn main() {
    let settings = ServerSettings::from_environment();
    let serve = || serve(settings).unwrap_or_else(|error| fail(1, &error));
    run_workers(settings.workers, serve);
}

#[tokio::main]
async fn serve(settings: &'static ServerSettings) -> std::io::Result<()> {
    let acceptor = settings.tls.as_ref().map(tls::read_acceptor);
    let audience: &'static _ = Box::leak(Box::new(feed::Audience::new(settings.feed.clone())));
    let listener = settings.listen();
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            match acceptor {
                None => upgrading::attend(stream, audience).await,
                Some(acceptor) => upgrading::attend(acceptor.accept(stream).await?, audience).await,
            }
        });
    }
}

pub async fn echo(upgrading: UpgradeFut) -> Result<(), WebSocketError> {
    let mut websocket = FragmentCollector::new(upgrading.await?);
    loop {
        let frame = websocket.read_frame().await?;
        match frame.opcode {
            OpCode::Close => return Ok(()),
            OpCode::Text | OpCode::Binary => websocket.write_frame(frame).await?,
            _ => {}
        }
    }
}
