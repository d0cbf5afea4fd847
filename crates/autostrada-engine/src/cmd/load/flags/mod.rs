//! The options of `load`, and the plan that they describe.

mod connection;
mod message;

use clap::Args;
use serde_json::{Map, Value, json};

use super::quantity::{Count, Rate, Seconds};
use crate::plan::{FORMAT, PHASE_S_MAX, PlanError, Scheme, Url};
use connection::ConnectionFlags;
use message::MessageFlags;

/// How long connections may take to open, in seconds.
const OPENING_S: f64 = 60.0;

/// How long answers are awaited after the measurement, in seconds.
const DRAIN_S: f64 = 5.0;

/// Pairs of options that cannot be combined, and why.
const CONFLICTS: &[(&str, &str, &str)] = &[
    (
        "--pipeline",
        "--rate",
        "an open loop does not wait for answers",
    ),
    ("--receive", "--message", "nothing is sent"),
    ("--receive", "--message-file", "nothing is sent"),
    ("--receive", "--size", "nothing is sent"),
    ("--receive", "--rate", "nothing is sent"),
    ("--receive", "--pipeline", "nothing is sent"),
    ("--receive", "--reply", "nothing is sent"),
    ("--messages", "--duration", "each of them ends the load"),
    ("--messages", "--warm-up", "all messages are counted"),
    (
        "--messages",
        "--slow",
        "slow connections never receive all messages",
    ),
    ("--message", "--message-file", "each of them is the message"),
    ("--message", "--size", "each of them is the message"),
    ("--message-file", "--size", "each of them is the message"),
    ("--insecure", "--ca", "any certificate is accepted"),
];

/// Options that need another one, and what they are without it.
const NEEDED: &[(&str, &str)] = &[("--slow", "--receive")];

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
}

impl PlanFlags {
    /// Returns the plan: a document as `load --plan` reads it.
    ///
    /// # Errors
    ///
    /// Returns an error if options contradict each other, or the URL is invalid.
    pub fn plan(&self, url: &str) -> Result<Value, PlanError> {
        self.check()?;
        let (load, connection) = (&self.load, &self.connection);
        let mut plan = Map::new();
        let mut set = |key: &str, value: Value| drop(plan.insert(key.to_owned(), value));
        set("format", json!(FORMAT));
        set("url", json!(url));
        match Url::parse(url)?.scheme {
            Scheme::WebSocket => {}
            Scheme::Http => set("protocol", json!({"kind": "socket-io"})),
            Scheme::Tcp => set("protocol", json!({"kind": "framed-tcp"})),
        }
        set("connections", json!(self.connections()));
        if let Some(Count(threads)) = load.threads {
            set("threads", json!(threads));
        }
        if let Some(rate) = &load.connect_rate {
            set("connect_rate_per_s", json!(rate.total_per_s(1)));
        }
        if let Some(Seconds(seconds)) = load.ping {
            set("ping_every_ms", json!(milliseconds(seconds)));
        }
        if !connection.source.is_empty() {
            set("source_addresses", json!(connection.source));
        }
        if !(connection.header.is_empty()
            && connection.cookie.is_empty()
            && connection.subprotocol.is_empty())
        {
            set("request", connection.request());
        }
        if connection.compress {
            set("compression", json!({}));
        }
        if connection.insecure {
            set("tls", json!({"insecure": true}));
        } else if let Some(ca) = &connection.ca {
            set("tls", json!({"ca_file": ca}));
        }
        set("workload", self.workload());
        Ok(Value::Object(plan))
    }

    /// Returns the number of connections.
    pub fn connections(&self) -> u64 {
        self.load.connections.map_or(10, |Count(count)| count)
    }

    /// Returns the rate of an open loop; `None` for a closed loop.
    pub fn rate(&self) -> Option<&Rate> {
        self.load.rate.as_ref()
    }

    /// Returns the number of messages that a closed loop keeps in flight; `None` without one.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a number of connections needs no more than 53 bits"
    )]
    pub fn in_flight(&self) -> Option<f64> {
        let load = &self.load;
        let is_closed = load.rate.is_none() && !load.receive;
        let pipeline = load.pipeline.map_or(1, |Count(count)| count);
        is_closed.then_some(self.connections().saturating_mul(pipeline) as f64)
    }

    /// Refuses options that contradict each other.
    fn check(&self) -> Result<(), PlanError> {
        let given = self.given();
        for (one, other, why) in CONFLICTS {
            if given.contains(one) && given.contains(other) {
                return Err(PlanError::new(format!(
                    "{one} and {other} exclude each other, because {why}: remove one of them"
                )));
            }
        }
        for (one, other) in NEEDED {
            if given.contains(one) && !given.contains(other) {
                return Err(PlanError::new(format!("{one} needs {other}: add it")));
            }
        }
        let rate = &self.load.connect_rate;
        if rate.is_some_and(|rate| rate.is_of_each_connection() || !rate.is_constant()) {
            return Err(PlanError::new(
                "--connect-rate is a constant number of connections a second, as 500/s",
            ));
        }
        Ok(())
    }

    /// Returns the names of the options that are given, among those of the two tables.
    fn given(&self) -> Vec<&'static str> {
        let (load, message, connection) = (&self.load, &self.message, &self.connection);
        [
            ("--pipeline", load.pipeline.is_some()),
            ("--rate", load.rate.is_some()),
            ("--receive", load.receive),
            ("--message", message.message.is_some()),
            ("--message-file", message.message_file.is_some()),
            ("--size", message.size.is_some()),
            ("--reply", message.reply.is_some()),
            ("--messages", load.messages.is_some()),
            ("--duration", load.duration.is_some()),
            ("--warm-up", load.warm_up.is_some()),
            ("--slow", load.slow.is_some()),
            ("--insecure", connection.insecure),
            ("--ca", connection.ca.is_some()),
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
        if load.receive {
            return match load.messages {
                Some(Count(messages)) => json!({"kind": "receive", "messages": messages}),
                None => json!({"kind": "receive", "phases": phases}),
            };
        }
        let next = json!({"kind": "next"});
        let mut workload = json!({
            "kind": "echo", "payload": self.message.payload(),
            "reply": self.message.reply.as_ref().unwrap_or(&next), "phases": phases,
        });
        if let Some(Count(messages)) = load.messages {
            workload["messages"] = json!(messages);
        }
        if let Some(rate) = &load.rate {
            workload["schedule"] = rate.schedule(warm_up_s + window_s);
        } else if let Some(Count(pipeline)) = load.pipeline {
            workload["window"] = json!(pipeline);
        }
        workload
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a conversion of floats saturates, and the plan is checked"
)]
fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1e3) as u64
}

/// Parses a share: `10%` or `0.1`.
fn share(text: &str) -> Result<f64, String> {
    let (number, factor) = match text.strip_suffix('%') {
        Some(number) => (number, 0.01),
        None => (text, 1.0),
    };
    let share = number.parse().map(|number: f64| number * factor);
    share
        .ok()
        .filter(|share| *share > 0.0 && *share <= 1.0)
        .ok_or_else(|| format!("{text:?} is not a share above 0 such as 10% or 0.1"))
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
             --source 127.0.0.2",
        );
        assert_eq!(all["connections"], 1000);
        assert_eq!(all["threads"], 2);
        assert_eq!(all["connect_rate_per_s"], 500.0);
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
        assert_eq!(all["tls"], json!({"insecure": true}));
        assert_eq!(all["source_addresses"], json!(["127.0.0.2"]));
        assert_eq!(plan("ws://localhost:1", "-p 8")["workload"]["window"], 8);
    }

    #[test]
    fn nothing_is_sent_with_receive() {
        let of = |arguments| plan("ws://localhost:1", arguments)["workload"].clone();
        assert_eq!(of("--receive -d 3s")["phases"]["window_s"], 3.0);
        assert_eq!(of("--receive -n 1m")["messages"], 1_000_000);
        assert_eq!(of("--receive --slow 10%")["slow"]["share"], 0.1);
    }

    #[test]
    fn the_scheme_decides_on_the_protocol() {
        assert_eq!(
            plan("http://localhost:1", "")["protocol"]["kind"],
            "socket-io"
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
            "--pipeline" | "--messages" | "--size" => "5",
            "--duration" | "--warm-up" => "5s",
            "--slow" => "10%",
            "--reply" => "next",
            "--message" | "--message-file" | "--ca" => "text",
            _ => "",
        };
        format!("{name} {value}")
    }

    #[test]
    fn options_that_contradict_each_other_are_refused_in_one_line() {
        for (one, other, why) in CONFLICTS {
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
        for (one, other) in NEEDED {
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

    #[test]
    fn a_share_is_above_0_and_at_most_1() {
        for text in ["0", "101%", "x", "-5%"] {
            assert!(share(text).is_err(), "{text}");
        }
    }
}
