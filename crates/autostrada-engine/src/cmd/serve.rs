//! `autostrada-engine serve`: the engine is the server.

use std::path::PathBuf;

use crate::command_channel::Documents;
use crate::plan::{FramesPerWrite, ServePlan, TlsFiles};
use crate::push::PushServer;

/// Be the server: push N messages to whoever connects to /N, send back what comes on /echo.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8008")]
    listen: String,

    /// The message.
    #[arg(long, value_name = "TEXT", default_value = "hello world")]
    text: String,

    /// Send one frame a system call, as the race's original server did.
    #[arg(long)]
    write_each: bool,

    /// End after so many connections, once open, have ended.
    #[arg(long, value_name = "N")]
    connections: Option<u64>,

    /// TCP congestion control of the connections, as the kernel names it.
    #[arg(long, value_name = "NAME")]
    congestion_control: Option<String>,

    /// Speak TLS, with this certificate chain (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,

    /// The private key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,

    /// Read a plan and commands from stdin instead (docs/format.md).
    #[arg(long, conflicts_with_all = ["listen", "text", "write_each", "connections", "congestion_control", "tls_certificate", "tls_key"])]
    plan: bool,
}

/// Serves until told to end.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.plan {
        let mut documents = Documents::new(std::io::stdin());
        let plan: ServePlan = documents.plan()?;
        plan.check()?;
        let mut server = PushServer::bind(&plan)?;
        let commands = documents.into_channel(server.waker());
        return server.run(Some(&commands));
    }
    let frames_per_write = if arguments.write_each {
        FramesPerWrite::One
    } else {
        FramesPerWrite::Many
    };
    let mut plan = ServePlan::push(&arguments.listen, &arguments.text, frames_per_write);
    plan.connections = arguments.connections;
    plan.congestion_control
        .clone_from(&arguments.congestion_control);
    if let (Some(certificate), Some(key)) = (&arguments.tls_certificate, &arguments.tls_key) {
        plan.tls = Some(TlsFiles {
            certificate_file: certificate.clone(),
            key_file: key.clone(),
        });
    }
    plan.check()?;
    PushServer::bind(&plan)?.run(None)
}
