//! The plan of `load`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use autostrada_measure::{Nanos, Rate, Schedule};
use autostrada_net::Endpoint;
use autostrada_proto::http::tunnel::encode_connect;
use schemars::JsonSchema;
use serde::Deserialize;

use super::workload::LoadWorkload;
use crate::plan::{
    self as plans, CompressionPlan, FORMAT, PHASE_S_MAX, PartPlan, PlanError, ProtocolPlan, Proxy,
    RequestPlan, Scheme, Shares, TcpPlan, TlsPlan, Url, UsersPlan, check_format,
};

/// The maximum number of threads of a plan; a larger number is a typing error.
const THREADS_MAX: usize = 4096;

/// Maximum time between two pings: an hour.
const PING_EVERY_MS_MAX: u64 = 3_600_000;

/// Maximum time for which a thread polls before it sleeps, in microseconds.
const BUSY_POLL_US_MAX: u64 = 1000;

/// The connect rate when the plan sets none: all connections are due at once.
const CONNECT_RATE_PER_S_MAX: f64 = 1e9;

/// Which end of the connections the engine is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndPlan {
    /// The client, which opens the connections.
    #[default]
    Client,
    /// The server, which waits for them.
    Server,
}

/// The plan of `load`: the engine sends and measures, by default as the client.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the plan")]
pub struct LoadPlan {
    /// Version of the format of plans and lines.
    #[schemars(extend("const" = FORMAT))]
    format: u32,
    /// URL of the server. Its scheme must match the protocol. The default port is 80, or 443 with
    /// TLS. `unix:SOCKET` or `unix:SOCKET:/PATH` is a WebSocket server at a Unix socket.
    pub url: String,
    /// Which end of the connections the engine is. As the server it listens at the URL, whose port
    /// may be 0 and is then in the line `ready`, and waits until `connections` clients have asked
    /// for its path. That needs WebSocket without compression, one thread, and for `wss://` the
    /// certificate and key of `tls`; settings of opening connections do not apply.
    #[serde(default)]
    pub end: EndPlan,
    /// The workload of each connection.
    pub workload: LoadWorkload,
    /// The protocol of all connections. Default: WebSocket.
    #[serde(default)]
    pub protocol: ProtocolPlan,
    /// Number of connections to open.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub connections: usize,
    /// Maximum time in which one connection opens, in seconds, above 0: from the start of its TCP
    /// connection until its opening handshake is answered. A connection that is not open then fails.
    /// Default: no limit but that for opening all connections together.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = PHASE_S_MAX))]
    connect_timeout_s: Option<f64>,
    /// Number of connections to start opening per second, from 1e-9 to 1e9. Default: all at once.
    #[schemars(range(min = 1e-9, max = 1e9))]
    connect_rate_per_s: Option<f64>,
    /// The part of the load that this engine has, of several that divide it. Default: all.
    #[serde(default)]
    pub part: PartPlan,
    /// Whether the workload waits, with its connections open, for the command `start-at-ns`, so that
    /// the engines that divide a load begin together. The end of stdin ends the load then.
    #[serde(default)]
    pub awaits_start: bool,
    /// Whether the load is divided into slices, each of which the command `slice` begins. In between,
    /// its connections are open, and no message is in flight. The window of the result is then the
    /// sum of all slices that count, and the lines of seconds are not printed. Needs a closed loop:
    /// `echo` without `schedule` and `messages`, or `publish` without `feed.every_ms` and `slow`.
    /// `phases.warm_up_s` and `ping_every_ms` are refused then, and `phases.window_s` is not used.
    #[serde(default)]
    pub slices: bool,
    /// Nanoseconds that the monotonic clock of this machine is ahead of that of the server's, whose
    /// instants the engine then prints, and from whose stamps it computes delivery times. Default: 0,
    /// for a server on this machine.
    #[serde(default)]
    pub clock_ahead_ns: i64,
    /// Maximum number of connections that are being opened at the same time, including
    /// reconnecting ones; at least `threads`. Each thread has an equal part of it, rounded down.
    /// Default: no limit. If the server's accept queue overflows, the kernel retries the connection
    /// only after a second or more.
    #[schemars(range(min = 1))]
    pub connect_pending_max: Option<usize>,
    /// Whether no further connection is opened once the server has answered an opening request with
    /// 429 or 503, or has refused ten of a thread and accepted none. Connections of `reconnect` are
    /// opened nevertheless.
    #[serde(default)]
    pub stop_if_full: bool,
    /// Number of threads, among which the connections are divided evenly. Each uses its own table of
    /// file descriptors, if the system permits it, so that the limit of open files applies to each.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = THREADS_MAX))]
    pub threads: usize,
    /// Maximum time of busy polling before a thread sleeps, in microseconds: a server on the same
    /// machine is slower if it has to wake the core of its client. A thread rarely polls if that finds
    /// nothing, and the time is not part of `utilizations`. 0: threads sleep at once, and until a message
    /// is due instead of until shortly before. So they do if a cgroup limits the CPU time.
    #[serde(default = "busy_poll_us_default")]
    #[schemars(range(max = BUSY_POLL_US_MAX))]
    pub busy_poll_us: u64,
    /// IP address of the server, instead of resolving the host of the URL. Default: it is resolved.
    resolve: Option<IpAddr>,
    /// URL of an HTTP proxy that opens a tunnel to the server for each connection (CONNECT):
    /// `http://HOST:PORT`, or `http://USER:PASSWORD@HOST:PORT`. Default: none.
    proxy: Option<String>,
    /// Local IP addresses to connect from, used in turn. Default: the kernel chooses.
    #[serde(default)]
    pub source_addresses: Vec<IpAddr>,
    /// Whether to connect from all IP addresses, used in turn, that this machine has on the interface
    /// by which the server, or the proxy, is reached; without `source_addresses`.
    #[serde(default)]
    pub all_source_addresses: bool,
    /// Additions to the opening request. Default: none.
    #[serde(default)]
    pub request: RequestPlan,
    /// Users, whose values are parts of messages and of the opening request. Default: none.
    pub users: Option<UsersPlan>,
    /// Messages that each connection sends once it is open, before those of the workload, as to
    /// subscribe; with parts in double braces as in a `template`. Over Socket.IO each is an event: a
    /// JSON array of its name and its arguments. Default: none.
    #[serde(default)]
    pub on_open: Vec<String>,
    /// The offer of permessage-deflate (RFC 7692). Default: compression is not offered.
    pub compression: Option<CompressionPlan>,
    /// TLS settings, for a URL that begins with `wss://`, `https://` or `tls://`. Default: the
    /// defaults of its keys.
    #[serde(default)]
    pub tls: TlsPlan,
    /// TCP settings of each socket. Default: the defaults of its keys.
    #[serde(default)]
    pub tcp: TcpPlan,
    /// Time between two WebSocket pings of a connection, in milliseconds. They are sent within the
    /// window, on all connections in turn, and their round trips are `pings` of the result. Default:
    /// no pings.
    #[schemars(range(min = 1, max = PING_EVERY_MS_MAX))]
    pub ping_every_ms: Option<u64>,
    /// Time limit of `receive` with `messages`, in seconds: for opening all connections and
    /// receiving all messages. Other workloads ignore it.
    #[serde(default = "limit_s_default")]
    #[schemars(range(min = 1))]
    pub limit_s: u64,
    /// File to which the addresses of the first 256 opened connections are appended, as commands of
    /// `observe`: `/proc/PID/fd/0` is the stdin of the observer with this identifier. Default, and
    /// with long-polling, whose sockets change: addresses are not reported.
    pub observer: Option<PathBuf>,
}

fn one() -> usize {
    1
}

fn busy_poll_us_default() -> u64 {
    50
}

fn limit_s_default() -> u64 {
    60
}

impl LoadPlan {
    fn check_pings(&self) -> Result<(), PlanError> {
        let Some(every_ms) = self.ping_every_ms else {
            return Ok(());
        };
        if !matches!(self.protocol, ProtocolPlan::WebSocket {}) {
            return Err(PlanError::new("ping_every_ms needs WebSocket: remove it"));
        }
        if !(1..=PING_EVERY_MS_MAX).contains(&every_ms) {
            return Err(PlanError::new(format!(
                "ping_every_ms must be from 1 to {PING_EVERY_MS_MAX}"
            )));
        }
        Ok(())
    }

    fn check_threads(&self) -> Result<(), PlanError> {
        if !(1..=THREADS_MAX).contains(&self.threads) {
            return Err(PlanError::new(format!(
                "threads must be from 1 to {THREADS_MAX}"
            )));
        }
        if self
            .connect_pending_max
            .is_some_and(|pending| pending < self.threads)
        {
            return Err(PlanError::new(
                "connect_pending_max must be at least threads",
            ));
        }
        if self.busy_poll_us > BUSY_POLL_US_MAX {
            return Err(PlanError::new(format!(
                "busy_poll_us must be from 0 to {BUSY_POLL_US_MAX}"
            )));
        }
        Ok(())
    }

    /// Checks the constraints that the types do not express.
    pub fn check(&self) -> Result<(), PlanError> {
        check_format(self.format)?;
        if self.connections == 0 || self.limit_s == 0 {
            return Err(PlanError::new("connections and limit_s must be at least 1"));
        }
        self.check_threads()?;
        self.check_pings()?;
        self.part.check(self.connections)?;
        self.tunnel()?;
        let has_sources = !self.source_addresses.is_empty();
        if self.all_source_addresses && has_sources {
            return Err(PlanError::new(
                "source_addresses and all_source_addresses (--source auto) exclude each other: \
                 remove one of them",
            ));
        }
        let needs_tcp = self.proxy.is_some() || self.resolve.is_some();
        if self.url()?.socket.is_some() && (needs_tcp || has_sources || self.all_source_addresses) {
            return Err(PlanError::new(
                "proxy, resolve and source addresses do not apply to a Unix socket: remove them",
            ));
        }
        self.connecting()?;
        self.connect_timeout_ns()?;
        self.protocol.check()?;
        self.tcp.check()?;
        self.tls.own_certificate()?;
        if !self.url()?.is_encrypted && self.tls != TlsPlan::default() {
            return Err(PlanError::new(
                "tls applies only to wss://, https:// and tls://: remove it, or change the url",
            ));
        }
        if let Some(compression) = &self.compression {
            compression.offer()?;
        }
        self.check_frames()?;
        self.check_end()?;
        self.check_slices()?;
        let workload = self.workload.plan();
        if let Some(phases) = workload.phases() {
            phases.check()?;
        }
        if workload.needs_one_thread() && !(self.threads == 1 && self.part.is_whole()) {
            return Err(PlanError::new(
                "this workload has one thread: set threads to 1, and remove part",
            ));
        }
        workload.check(self.connections, &self.protocol)
    }

    /// Checks that a server is given nothing that only a client does.
    fn check_end(&self) -> Result<(), PlanError> {
        if self.end == EndPlan::Client {
            return Ok(());
        }
        let url = self.url()?;
        let unknown = [
            ("protocol", self.protocol != ProtocolPlan::WebSocket {}),
            ("connect_timeout_s", self.connect_timeout_s.is_some()),
            ("connect_rate_per_s", self.connect_rate_per_s.is_some()),
            ("connect_pending_max", self.connect_pending_max.is_some()),
            ("stop_if_full", self.stop_if_full),
            ("resolve", self.resolve.is_some()),
            ("proxy", self.proxy.is_some()),
            ("source_addresses", !self.source_addresses.is_empty()),
            ("all_source_addresses", self.all_source_addresses),
            ("request", !self.request.is_empty()),
            ("on_open", !self.on_open.is_empty()),
            ("users", self.users.is_some()),
            ("compression", self.compression.is_some()),
            ("a Unix socket", url.socket.is_some()),
            (
                "fragment_bytes",
                self.workload.plan().fragment_bytes().is_some(),
            ),
            ("reconnect", self.workload.plan().reconnects()),
        ];
        if let Some((name, _)) = unknown.iter().find(|(_, is_given)| *is_given) {
            return Err(PlanError::new(format!(
                "{name} does not apply to a server: remove it"
            )));
        }
        if self.threads != 1 {
            return Err(PlanError::new("a server has one thread: set threads to 1"));
        }
        if url.is_encrypted && self.tls.own_certificate()?.is_none() {
            return Err(PlanError::new(
                "a server at wss:// needs tls.certificate_file and tls.key_file: set both",
            ));
        }
        Ok(())
    }

    /// Checks that a load with slices is a closed loop that only commands begin and end.
    fn check_slices(&self) -> Result<(), PlanError> {
        if !self.slices {
            return Ok(());
        }
        let workload = self.workload.plan();
        if !workload.has_slices() {
            return Err(PlanError::new(
                "slices need a closed loop: echo without schedule and messages, or publish without \
                 feed.every_ms and slow",
            ));
        }
        let has_warm_up = workload
            .phases()
            .is_some_and(|phases| phases.warm_up_s > 0.0);
        if self.awaits_start || self.ping_every_ms.is_some() || has_warm_up {
            return Err(PlanError::new(
                "slices begin by commands, and some may not count: remove awaits_start, \
                 ping_every_ms and phases.warm_up_s",
            ));
        }
        Ok(())
    }

    /// Checks that the protocol supports the request, compression and fragments of the plan.
    fn check_frames(&self) -> Result<(), PlanError> {
        let fragments = self.workload.plan().fragment_bytes().is_some();
        match &self.protocol {
            ProtocolPlan::FramedTcp {}
                if fragments || self.compression.is_some() || !self.request.is_empty() =>
            {
                Err(PlanError::new(
                    "framed-tcp has no request, compression or fragments: remove them",
                ))
            }
            protocol if protocol.is_polling() && (fragments || self.compression.is_some()) => Err(
                PlanError::new("polling has no compression or fragments: remove them"),
            ),
            _ => Ok(()),
        }
    }

    /// Returns the shares of the threads in the connections.
    pub fn shares(&self) -> Shares {
        self.part.shares(self.threads, self.connections)
    }

    /// Returns the schedule by which connections are opened.
    pub fn connecting(&self) -> Result<Schedule, PlanError> {
        let rate_per_s = self.connect_rate_per_s.unwrap_or(CONNECT_RATE_PER_S_MAX);
        Rate::per_second(rate_per_s)
            .map(|rate| Schedule::Constant { rate })
            .map_err(|error| PlanError::new(format!("connect_rate_per_s: {error}")))
    }

    /// Returns the maximum time in which one connection opens; `None` without a limit.
    pub fn connect_timeout_ns(&self) -> Result<Option<Nanos>, PlanError> {
        let Some(timeout_s) = self.connect_timeout_s else {
            return Ok(None);
        };
        if timeout_s > 0.0 && timeout_s <= PHASE_S_MAX {
            return Ok(Some(plans::nanos(timeout_s)));
        }
        Err(PlanError::new(
            "connect_timeout_s must be above 0, and at most 86400",
        ))
    }

    /// Returns what to connect to: the proxy or the server.
    pub fn endpoint(&self) -> Result<Endpoint, PlanError> {
        match (self.proxy()?, self.url()?.socket) {
            (_, Some(socket)) => Ok(Endpoint::Unix(socket)),
            (Some(proxy), None) => Ok(Endpoint::Tcp(proxy.url.resolve()?)),
            (None, None) => Ok(Endpoint::Tcp(self.server_address()?)),
        }
    }

    /// Returns the address of the server.
    /// Returns an error if the URL is malformed, or its host cannot be resolved, as it may be
    /// behind a proxy.
    pub fn server_address(&self) -> Result<SocketAddr, PlanError> {
        let url = self.url()?;
        self.resolve.map_or_else(|| url.resolve(), |ip| url.at(ip))
    }

    /// Returns the request to the proxy for a tunnel to the server; `None` without a proxy.
    pub fn tunnel(&self) -> Result<Option<Vec<u8>>, PlanError> {
        let Some(proxy) = self.proxy()? else {
            return Ok(None);
        };
        let authority = self.url()?.host_and_port()?;
        let mut request = Vec::new();
        encode_connect(&authority, proxy.credentials.as_deref(), &mut request)
            .map_err(|error| PlanError::new(format!("url: {error}")))?;
        Ok(Some(request))
    }

    fn proxy(&self) -> Result<Option<Proxy>, PlanError> {
        let proxy = self.proxy.as_deref().map(Proxy::parse).transpose()?;
        if proxy.is_some() && self.resolve.is_some() {
            return Err(PlanError::new(
                "proxy and resolve exclude each other, because the proxy resolves the host: remove \
                 one of them",
            ));
        }
        Ok(proxy)
    }

    /// Parses the URL and checks that its scheme matches the protocol.
    /// Returns an error if the URL is malformed, or has the scheme of another protocol.
    pub fn url(&self) -> Result<Url, PlanError> {
        let url = Url::parse(&self.url)?;
        let (is_matching, schemes) = match &self.protocol {
            ProtocolPlan::WebSocket {} => (url.scheme == Scheme::WebSocket, "ws:// or wss://"),
            ProtocolPlan::SocketIo(_) => (url.scheme != Scheme::Tcp, "http:// or https://"),
            ProtocolPlan::FramedTcp {} => (url.scheme == Scheme::Tcp, "tcp:// or tls://"),
        };
        if is_matching {
            return Ok(url);
        }
        Err(PlanError::new(format!(
            "url {:?} does not match the protocol: begin it with {schemes}",
            self.url
        )))
    }
}

#[cfg(test)]
#[path = "tests/plan.rs"]
mod tests;
