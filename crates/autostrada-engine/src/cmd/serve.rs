//! `autostrada-engine serve`: the engine is the server.

use std::path::PathBuf;

use serde_json::json;

use crate::command_channel::Documents;
use crate::plan::{
    FORMAT, FeedEncodingName, FeedKindName, FeedPlan, ServePlan, ServeProtocolKind, TlsFiles,
};
use crate::server::Server;

/// Measure clients: push N messages on /N, echo messages on /echo, and send a feed to
/// subscribers on /feed.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Address to listen on; port 0 selects a free port.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8008")]
    listen: String,

    /// Protocol of all connections.
    #[arg(long, value_name = "PROTOCOL", default_value = "websocket")]
    protocol: ServeProtocolKind,

    /// Text of the messages on /N.
    #[arg(long, value_name = "TEXT", default_value = "hello world")]
    text: String,

    /// Write each frame with its own system call, as the server of the original race did.
    #[arg(long)]
    write_each: bool,

    /// Number of threads that share the connections.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,

    /// Exit after this many connections have been opened and have ended.
    #[arg(long, value_name = "N")]
    connections: Option<u64>,

    /// TCP congestion control algorithm, by the kernel's name for it.
    #[arg(long, value_name = "NAME")]
    congestion_control: Option<String>,

    /// Use TLS with this certificate chain (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,

    /// Private key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,

    #[command(flatten)]
    feed: FeedArguments,

    /// Read a plan and commands from stdin instead (docs/format.md).
    #[arg(long, exclusive = true)]
    plan: bool,
}

/// The feed of `/feed`.
#[derive(Debug, clap::Args)]
struct FeedArguments {
    /// Content of the messages on /feed; without this option there is no /feed.
    #[arg(long, value_name = "KIND")]
    feed: Option<FeedKindName>,

    /// Encoding of the messages on /feed.
    #[arg(
        long,
        value_name = "ENCODING",
        default_value = "json",
        requires = "feed"
    )]
    feed_encoding: FeedEncodingName,

    /// Number of records in each message of kind stocks.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "feed")]
    feed_stocks: usize,

    /// Number of subscribers to wait for before the first message.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "feed")]
    feed_subscribers: usize,

    /// Interval between messages; without this option, as fast as all subscribers accept them.
    #[arg(long, value_name = "MS", requires = "feed")]
    feed_every_ms: Option<f64>,

    /// Duration of the feed; default 10 seconds, unless --feed-messages is given.
    #[arg(long, value_name = "S", requires = "feed")]
    feed_seconds: Option<f64>,

    /// Number of messages of the feed.
    #[arg(long, value_name = "N", requires = "feed")]
    feed_messages: Option<u64>,
}

/// The default duration of a feed, in seconds.
const FEED_SECONDS: f64 = 10.0;

impl FeedArguments {
    fn plan(&self) -> Option<FeedPlan> {
        let seconds = match self.feed_messages {
            None => Some(self.feed_seconds.unwrap_or(FEED_SECONDS)),
            Some(_) => self.feed_seconds,
        };
        Some(FeedPlan {
            kind: self.feed?,
            encoding: self.feed_encoding,
            stocks: self.feed_stocks,
            subscribers: self.feed_subscribers,
            every_ms: self.feed_every_ms,
            seconds,
            messages: self.feed_messages,
        })
    }
}

/// Runs the server until it is stopped or has served the planned connections.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.plan {
        let mut documents = Documents::new(std::io::stdin());
        let plan: ServePlan = documents.plan()?;
        plan.check()?;
        let mut server = Server::bind(&plan)?;
        let commands = documents.into_channel(server.waker());
        return server.run(Some(&commands));
    }
    let plan = plan(arguments)?;
    plan.check()?;
    Server::bind(&plan)?.run(None)
}

/// Returns the plan that the flags describe.
fn plan(arguments: &Arguments) -> serde_json::Result<ServePlan> {
    let frames_per_write = if arguments.write_each { "one" } else { "many" };
    let mut plan: ServePlan = serde_json::from_value(json!({
        "format": FORMAT, "listen": arguments.listen,
        "workload": {
            "kind": "push", "payload": {"text": arguments.text},
            "frames_per_write": frames_per_write,
        },
    }))?;
    plan.protocol.kind = arguments.protocol;
    plan.threads = arguments.threads;
    plan.connections = arguments.connections;
    plan.congestion_control
        .clone_from(&arguments.congestion_control);
    plan.feed = arguments.feed.plan();
    if let (Some(certificate), Some(key)) = (&arguments.tls_certificate, &arguments.tls_key) {
        plan.tls = Some(TlsFiles {
            certificate_file: certificate.clone(),
            key_file: key.clone(),
        });
    }
    Ok(plan)
}
