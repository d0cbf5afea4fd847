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
mod tests {
    use clap::Parser;

    use super::*;
    use crate::client::LoadPlan;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        flags: PlanFlags,
    }

    fn flags(arguments: &str) -> PlanFlags {
        let arguments = ["program"].into_iter().chain(arguments.split_whitespace());
        Program::try_parse_from(arguments).unwrap().flags
    }

    fn plan(url: &str, arguments: &str) -> Value {
        let plan = flags(arguments).plan(url).unwrap();
        let checked: LoadPlan = serde_json::from_value(plan.clone()).unwrap();
        checked.check().unwrap();
        plan
    }

    #[test]
    fn a_url_alone_is_a_closed_loop() {
        assert_eq!(
            plan("ws://localhost:1/echo", ""),
            json!({
                "format": FORMAT, "url": "ws://localhost:1/echo", "connections": 10,
                "stop_if_full": true, "connect_timeout_s": 10.0,
                "workload": {
                    "kind": "echo",
                    "payload": {"text": "hello world", "type": "text", "template": false},
                    "reply": {"kind": "next"},
                    "phases": {
                        "opening_s": 60.0, "warm_up_s": 2.0, "window_s": 10.0, "drain_s": 5.0,
                    },
                },
            })
        );
    }

    #[test]
    fn each_option_has_its_place_in_the_plan() {
        let all = plan(
            "wss://localhost:1",
            "-c 1k -d 30s -r 100..5/s/conn -t 2 --connect-rate 500/s --warm-up 1s --size 64KiB \
             --ping 500ms --binary -H X-Token:secret --cookie a=b --subprotocol chat --compress -k \
             --connect-timeout 500ms --source 127.0.0.2 --resolve 127.0.0.1 --users users.csv --cert c.pem --key k.pem",
        );
        assert_eq!(all["connections"], 1000);
        assert_eq!(all["threads"], 2);
        assert_eq!(all["connect_rate_per_s"], 500.0);
        assert_eq!(all["connect_timeout_s"], 0.5);
        assert_eq!(all["ping_every_ms"], 500);
        assert_eq!(all["workload"]["schedule"]["over_s"], 31.0);
        assert_eq!(
            all["workload"]["payload"],
            json!({"random_bytes": 65536, "type": "binary"})
        );
        assert_eq!(
            all["request"],
            json!({
                "headers": {"X-Token": "secret"}, "cookies": {"a": "b"}, "subprotocols": ["chat"],
            })
        );
        assert_eq!(all["compression"], json!({}));
        assert_eq!(
            all["tls"],
            json!({"insecure": true, "certificate_file": "c.pem", "key_file": "k.pem"})
        );
        assert_eq!(all["resolve"], "127.0.0.1");
        assert_eq!(all["users"], json!({"file": "users.csv"}));
        assert_eq!(all["source_addresses"], json!(["127.0.0.2"]));
        assert_eq!(plan("ws://localhost:1", "-p 8")["workload"]["window"], 8);
        let auto = plan("ws://localhost:1", "--source auto");
        assert_eq!(auto["all_source_addresses"], true);
    }

    #[test]
    fn nothing_is_sent_with_receive() {
        let of = |arguments| plan("ws://localhost:1", arguments)["workload"].clone();
        assert_eq!(of("--receive -d 3s")["phases"]["window_s"], 3.0);
        assert_eq!(of("--receive -n 1m")["messages"], 1_000_000);
        assert_eq!(of("--receive --slow 10%")["slow"]["share"], 0.1);
    }

    #[test]
    fn a_file_is_sent_in_chunks_at_a_pace() {
        let file = std::env::current_exe().unwrap();
        let arguments = format!(
            "-c 4 --message-file {} --chunk 640 --every 20ms",
            file.display()
        );
        let plan = plan("ws://localhost:1", &arguments);
        let workload = &plan["workload"];
        assert_eq!(
            workload["payload"],
            json!({"file": file, "chunk_bytes": 640, "type": "binary", "template": false})
        );
        let schedule = json!({"kind": "constant", "rate_per_s": 50.0, "per": "connection"});
        assert_eq!(workload["schedule"], schedule);
    }

    #[test]
    fn a_storm_drops_all_connections_again_and_again() {
        let storm = &plan("ws://localhost:1", "--storm 2s")["workload"];
        assert_eq!(
            (&storm["kind"], &storm["every_ms"]),
            (&json!("reconnect"), &json!(2000))
        );
        assert_eq!(flags("--storm 2s").in_flight(), None);
    }

    #[test]
    fn the_scheme_decides_on_the_protocol() {
        assert_eq!(
            plan("http://localhost:1", "")["protocol"],
            json!({"kind": "socket-io"})
        );
        assert_eq!(
            plan("tcp://localhost:1", "")["protocol"]["kind"],
            "framed-tcp"
        );
        assert!(flags("").plan("localhost:1").is_err());
    }

    /// Returns an argument for each option of the tables.
    fn argument(name: &str) -> String {
        let value = match name {
            "--rate" => "5/s",
            "--pipeline" | "--messages" | "--size" | "--chunk" => "5",
            "--duration" | "--warm-up" | "--every" | "--storm" => "5s",
            "--slow" => "10%",
            "--reply" => "next",
            "--proxy" => "http://localhost:1",
            "--resolve" => "127.0.0.1",
            "--message" | "--message-file" | "--event" | "--ca" | "--cert" | "--key" => "text",
            _ => "",
        };
        format!("{name} {value}")
    }

    #[test]
    fn options_that_contradict_each_other_are_refused_in_one_line() {
        for (one, other, why) in conflicts::CONFLICTS {
            let both = format!("{} {}", argument(one), argument(other));
            let error = flags(&both)
                .plan("wss://localhost:1")
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(one) && error.contains(other),
                "{both}: {error}"
            );
            assert!(
                error.contains(why) && !error.contains('\n'),
                "{both}: {error}"
            );
        }
        for (one, other) in conflicts::NEEDED {
            let error = flags(&argument(one)).plan("ws://localhost:1").unwrap_err();
            assert_eq!(error.to_string(), format!("{one} needs {other}: add it"));
        }
    }

    #[test]
    fn a_reply_is_declared() {
        let of = |arguments| plan("ws://localhost:1", arguments)["workload"].clone();
        assert_eq!(of("--reply json:$.a[0]")["reply"]["path"], "$.a[0]");
        assert_eq!(of("--reply prefix:8")["reply"]["bytes"], 8);
        assert_eq!(
            of("--reply regex:id=(\\d+):")["reply"]["pattern"],
            "id=(\\d+):"
        );
        assert_eq!(of("--reply none -r 5/s")["reply"]["kind"], "none");
        let timed = of("--reply time:$.t --receivers 2 -r 5/s");
        assert_eq!(timed["reply"]["receivers"], 2);
        assert_eq!(of("-m {{seq}}")["payload"]["template"], true);
        assert_eq!(of("-m {{seq}} --reply same")["payload"]["template"], false);
        assert_eq!(of("-n 1k")["messages"], 1000);
    }

    #[test]
    fn a_connect_rate_is_constant() {
        for rate in ["5/s/conn", "1..5/s", "poisson:5/s"] {
            let plan = flags(&format!("--connect-rate {rate}")).plan("ws://localhost:1");
            assert!(plan.is_err(), "{rate}");
        }
    }
}
