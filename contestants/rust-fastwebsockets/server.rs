//! Echoes, and feeds an audience, with fastwebsockets: a task for each connection.

mod echoing;
mod feed;
mod splitting;
mod tls;
mod upgrading;

use autostrada_kit::{ServerSettings, fail, run_workers};
use tokio_rustls::TlsAcceptor;

use upgrading::attend;

fn main() {
    let settings = ServerSettings::from_environment();
    let tls = settings.tls.as_ref().map(tls::read_acceptor);
    let serve = || serve(settings, tls).unwrap_or_else(|error| fail(1, &error));
    run_workers(settings.workers, serve);
}

#[tokio::main]
async fn serve(settings: &ServerSettings, tls: Option<TlsAcceptor>) -> std::io::Result<()> {
    let audience: &'static _ = Box::leak(Box::new(feed::Audience::new(settings.feed.clone())));
    let listener = settings.listen();
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        let tls = tls.clone();
        tokio::spawn(async move {
            match tls {
                None => attend(stream, false, audience).await,
                Some(tls) => attend(tls.accept(stream).await?, true, audience).await,
            }
        });
    }
}
