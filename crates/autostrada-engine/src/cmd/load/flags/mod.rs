//! The options of `load`, and the plan that they describe.

mod conflicts;
mod connection;
mod message;
mod socket_io;

use autostrada_measure::integer;
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::quantity::{Count, Rate, Seconds, share};
use crate::plan::{FORMAT, PHASE_S_MAX, PlanError, Scheme, Url};
use connection::ConnectionFlags;
use message::MessageFlags;
use socket_io::SocketIoFlags;

/// How long connections may take to open, in seconds.
const OPENING_S: f64 = 60.0;

/// How long answers are awaited after the measurement, in seconds.
const DRAIN_S: f64 = 5.0;

/// What is loaded, and how much.
#[derive(Debug, Args)]
#[command(next_help_heading = "Load")]
pub struct LoadFlags {
    /// Connections to hold [default: 10]; 10k and 1m work.
    #[arg(short, long, value_name = "N")]
    connections: Option<Count>,

    /// Measurement, after the warm-up [default: 10s].
    #[arg(short, long, value_name = "TIME")]
    duration: Option<Seconds>,

    /// Open loop: 5k/s in total, 5/s/conn on each connection, 100..5k/s ramp, poisson:5k/s. Without
    /// it a closed loop: each connection sends when its last message was answered.
    #[arg(short, long, value_name = "RATE")]
    rate: Option<Rate>,

    /// Open loop: a message in this time on each connection, as -r does: 20ms is 50/s/conn.
    #[arg(long, value_name = "TIME")]
    every: Option<Seconds>,

    /// Closed loop: messages in flight on each connection [default: 1].
    #[arg(short, long, value_name = "N")]
    pipeline: Option<Count>,

    /// Stop after N messages of all connections together, with --receive of each connection.
    #[arg(short = 'n', long, value_name = "N")]
    messages: Option<Count>,

    /// Threads of the load generator [default: 1].
    #[arg(short, long, value_name = "N")]
    threads: Option<Count>,

    /// New connections a second, as 500/s [default: all at once].
    #[arg(long, value_name = "RATE")]
    connect_rate: Option<Rate>,

    /// Before measuring [default: 2s].
    #[arg(long, value_name = "TIME")]
    warm_up: Option<Seconds>,

    /// Send nothing; count the messages that the server sends.
    #[arg(long)]
    receive: bool,

    /// Also time WebSocket pings, one in this time on each connection, which needs nothing of the
    /// server.
    #[arg(long, value_name = "TIME")]
    ping: Option<Seconds>,

    /// With --receive: this share of the connections stops reading, as 10%.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    slow: Option<f64>,

    /// Send nothing; drop all connections once in this time, and reconnect.
    #[arg(long, value_name = "TIME")]
    storm: Option<Seconds>,
}

/// All options that describe a plan.
#[derive(Debug, Args)]
pub struct PlanFlags {
    #[command(flatten)]
    load: LoadFlags,
    #[command(flatten)]
    message: MessageFlags,
    #[command(flatten)]
    connection: ConnectionFlags,
    #[command(flatten)]
    socket_io: SocketIoFlags,
}

impl PlanFlags {
    /// Returns the plan: a document as `load --plan` reads it.
    pub fn plan(&self, url: &str) -> Result<Value, PlanError> {
        self.check()?;
        let (load, connection) = (&self.load, &self.connection);
        let connect_rate_per_s = load.connect_rate.map(|rate| rate.total_per_s(1));
        let users = self.message.users.as_ref();
        let users = users.map(|file| json!({"file": file}));
        let has_all_sources = connection.source.contains(&None);
        let addresses: Vec<_> = connection.source.iter().flatten().collect();
        Ok(object([
            ("format", json!(FORMAT)),
            ("url", json!(url)),
            ("protocol", json!(self.protocol(url)?)),
            ("connections", json!(self.connections())),
            ("stop_if_full", json!(true)),
            ("connect_timeout_s", json!(connection.connect_timeout_s())),
            ("threads", json!(load.threads)),
            ("connect_rate_per_s", json!(connect_rate_per_s)),
            ("ping_every_ms", json!(load.ping.map(milliseconds))),
            ("resolve", json!(connection.resolve)),
            ("proxy", json!(connection.proxy)),
            ("users", json!(users)),
            (
                "all_source_addresses",
                json!(has_all_sources.then_some(true)),
            ),
            ("source_addresses", list(&addresses)),
            ("request", json!(connection.request())),
            ("on_open", list(&connection.on_open)),
            ("compression", json!(connection.compress.then(|| json!({})))),
            ("tls", json!(connection.tls())),
            ("workload", self.workload()),
        ]))
    }

    /// Returns the protocol of the plan by the scheme of the URL; `None` for WebSocket.
    fn protocol(&self, url: &str) -> Result<Option<Value>, PlanError> {
        match (Url::parse(url)?.scheme, self.socket_io_option()) {
            (Scheme::Http, _) => Ok(Some(self.socket_io.protocol(&self.message))),
            (_, Some(option)) => Err(PlanError::new(format!(
                "{option} is of Socket.IO: remove it, or begin the URL with http:// or https://"
            ))),
            (Scheme::Tcp, None) => Ok(Some(json!({"kind": "framed-tcp"}))),
            (Scheme::WebSocket, None) => Ok(None),
        }
    }

    /// Returns the name of an option that is given and needs Socket.IO; `None` if none does.
    fn socket_io_option(&self) -> Option<&'static str> {
        let acknowledged = self.message.is_acknowledged().then_some("--reply ack");
        self.socket_io.given().or(acknowledged)
    }

    /// Returns the number of connections.
    pub fn connections(&self) -> u64 {
        self.load.connections.map_or(10, |Count(count)| count)
    }

    /// Returns the rate of an open loop; `None` for a closed loop.
    pub fn rate(&self) -> Option<Rate> {
        let every = self.load.every.map(|Seconds(seconds)| Rate::every(seconds));
        self.load.rate.or(every)
    }

    /// Says what the load is, after a comma; nothing if the next message answers one.
    pub fn kind_words(&self) -> String {
        match &self.load {
            load if load.storm.is_some() => ", --storm".to_owned(),
            load if load.receive => ", --receive".to_owned(),
            _ => self.message.reply_words(),
        }
    }

    /// Returns the number of messages that a closed loop keeps in flight; `None` without one.
    pub fn in_flight(&self) -> Option<f64> {
        let load = &self.load;
        let is_closed = self.rate().is_none() && !load.receive && load.storm.is_none();
        let pipeline = load.pipeline.map_or(1, |Count(count)| count);
        is_closed.then_some(self.connections().saturating_mul(pipeline) as f64)
    }

    /// Refuses options that contradict each other, or are out of range.
    fn check(&self) -> Result<(), PlanError> {
        conflicts::check(&self.given())?;
        self.message.check()?;
        let rate = &self.load.connect_rate;
        if rate.is_some_and(|rate| rate.is_of_each_connection || !rate.is_constant()) {
            return Err(PlanError::new(
                "--connect-rate is a constant number of connections a second, as 500/s",
            ));
        }
        if self
            .load
            .every
            .is_some_and(|Seconds(seconds)| seconds <= 0.0)
        {
            return Err(PlanError::new("--every must be above 0"));
        }
        Ok(())
    }

    /// Returns the names of the options that are given, among those of the two tables.
    fn given(&self) -> Vec<&'static str> {
        let (load, message, connection) = (&self.load, &self.message, &self.connection);
        [
            ("--pipeline", load.pipeline.is_some()),
            ("--rate", load.rate.is_some()),
            ("--every", load.every.is_some()),
            ("--storm", load.storm.is_some()),
            ("--receive", load.receive),
            ("--message", message.message.is_some()),
            ("--message-file", message.message_file.is_some()),
            ("--size", message.size.is_some()),
            ("--chunk", message.chunk.is_some()),
            ("--reply", message.reply.is_some()),
            ("--event", self.socket_io.event.is_some()),
            ("--messages", load.messages.is_some()),
            ("--duration", load.duration.is_some()),
            ("--warm-up", load.warm_up.is_some()),
            ("--slow", load.slow.is_some()),
            ("--insecure", connection.insecure),
            ("--ca", connection.ca.is_some()),
            ("--proxy", connection.proxy.is_some()),
            ("--resolve", connection.resolve.is_some()),
            ("--cert", connection.cert.is_some()),
            ("--key", connection.key.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, is_given)| is_given.then_some(name))
        .collect()
    }

    fn workload(&self) -> Value {
        let load = &self.load;
        let (window_s, warm_up_s) = match load.messages {
            // The last answer ends the load.
            Some(_) => (PHASE_S_MAX, 0.0),
            None => (10.0, 2.0),
        };
        let window_s = load.duration.map_or(window_s, |Seconds(seconds)| seconds);
        let warm_up_s = load.warm_up.map_or(warm_up_s, |Seconds(seconds)| seconds);
        let phases = json!({
            "opening_s": OPENING_S, "warm_up_s": warm_up_s, "window_s": window_s,
            "drain_s": DRAIN_S,
        });
        if let Some(share) = load.slow {
            return json!({"kind": "slow-consumer", "slow": {"share": share}, "phases": phases});
        }
        if let Some(every_ms) = load.storm.map(milliseconds) {
            return json!({"kind": "reconnect", "every_ms": every_ms, "phases": phases});
        }
        if load.receive {
            return match load.messages {
                Some(Count(messages)) => json!({"kind": "receive", "messages": messages}),
                None => json!({"kind": "receive", "phases": phases}),
            };
        }
        let mut workload = json!({
            "kind": "echo", "payload": self.message.payload(),
            "reply": self.message.reply(), "phases": phases,
        });
        if let Some(Count(messages)) = load.messages {
            workload["messages"] = json!(messages);
        }
        if let Some(rate) = self.rate() {
            workload["schedule"] = rate.schedule(warm_up_s + window_s);
        } else if let Some(Count(pipeline)) = load.pipeline {
            workload["window"] = json!(pipeline);
        }
        workload
    }
}

/// Returns a list; null if it is empty.
fn list<T: Serialize>(values: &[T]) -> Value {
    json!((!values.is_empty()).then_some(values))
}

/// Returns an object with the keys whose value is not null.
fn object<const N: usize>(keys: [(&str, Value); N]) -> Value {
    let given = keys.into_iter().filter(|(_, value)| !value.is_null());
    given.collect()
}

fn milliseconds(Seconds(seconds): Seconds) -> u64 {
    integer(seconds * 1e3)
}

#[cfg(test)]
#[path = "tests/flags.rs"]
mod tests;
