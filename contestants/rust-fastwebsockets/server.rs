//! Echoes messages and sends a feed with fastwebsockets: one task per connection.

mod echoing;
mod feed;
mod splitting;
mod tls;
mod upgrading;

use autostrada_kit::{ServerSettings, fail, run_workers};
use tokio_rustls::TlsAcceptor;

use upgrading::handle;

fn main() {
    let settings = ServerSettings::from_environment();
    let tls = settings.tls.as_ref().map(tls::read_acceptor);
    let serve = || serve(settings, tls).unwrap_or_else(|error| fail(1, &error));
    run_workers(settings.workers, serve);
}

#[tokio::main]
async fn serve(settings: &ServerSettings, tls: Option<TlsAcceptor>) -> std::io::Result<()> {
    let subscribers: &'static _ =
        Box::leak(Box::new(feed::Subscribers::new(settings.feed.clone())));
    let listener = settings.listen();
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        let tls = tls.clone();
        tokio::spawn(async move {
            match tls {
                None => handle(stream, false, subscribers).await,
                Some(tls) => handle(tls.accept(stream).await?, true, subscribers).await,
            }
        });
    }
}
