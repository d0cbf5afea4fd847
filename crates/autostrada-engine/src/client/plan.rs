//! The plan of `load`.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::Deserialize;

use super::workload::LoadWorkload;
use crate::plan::{
    CompressionPlan, FORMAT, PlanError, ProtocolPlan, RequestPlan, Scheme, SocketIoTransport,
    TcpPlan, TlsPlan, Url, check_format,
};

/// The most threads that a plan may ask for: more is a typing error.
const THREADS_MAX: usize = 4096;

/// The plan of `load`: the engine is the client.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadPlan {
    /// The number of the format of plans and lines.
    #[schemars(extend("const" = FORMAT))]
    format: u32,
    /// The address of the server; its scheme belongs to the protocol. Without a port it is 80, with
    /// TLS 443.
    pub url: String,
    /// What the connections do.
    pub workload: LoadWorkload,
    /// The protocol of all connections. Without it, WebSocket.
    #[serde(default)]
    pub protocol: ProtocolPlan,
    /// How many connections to open.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub connections: usize,
    /// How many connections are begun per second, a billionth to a billion. Without it, all at
    /// once.
    pub connect_rate_per_s: Option<f64>,
    /// How many connections may be opening at the same time, those that reconnect included: at
    /// least one for each thread. Without it, all that are due. More than the server's accept
    /// queue holds are retried by the kernel only after a second or more.
    #[schemars(range(min = 1))]
    pub connect_pending_max: Option<usize>,
    /// Threads that share the connections evenly, each on one core. Each has a table of file
    /// descriptors of its own where one table is too small for all connections.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = THREADS_MAX))]
    pub threads: usize,
    /// Addresses of this machine to connect from, in turn. Without any, the kernel chooses.
    #[serde(default)]
    pub source_addresses: Vec<IpAddr>,
    /// What is added to the opening request. Without it, nothing.
    #[serde(default)]
    pub request: RequestPlan,
    /// Offer permessage-deflate (RFC 7692). Without it, no compression is offered.
    pub compression: Option<CompressionPlan>,
    /// TLS settings of a URL that begins with `wss://`, `https://` or `tls://`. Without it, the
    /// defaults of its keys.
    #[serde(default)]
    pub tls: TlsPlan,
    /// TCP settings of each socket. Without it, the defaults of its keys.
    #[serde(default)]
    pub tcp: TcpPlan,
    /// Of `receive` with `messages`: how many seconds opening all connections and receiving all
    /// messages may take.
    #[serde(default = "limit_s_default")]
    #[schemars(range(min = 1))]
    pub limit_s: u64,
}

fn one() -> usize {
    1
}

fn limit_s_default() -> u64 {
    60
}

impl LoadPlan {
    /// Checks what the types cannot.
    ///
    /// # Errors
    ///
    /// When the plan asks for what cannot be done.
    pub fn check(&self) -> Result<(), PlanError> {
        check_format(self.format)?;
        if self.connections == 0 || self.limit_s == 0 {
            return Err(PlanError::new("connections and limit_s must be at least 1"));
        }
        if !(1..=THREADS_MAX).contains(&self.threads) {
            return Err(PlanError::new(format!("threads is 1 to {THREADS_MAX}")));
        }
        if self
            .connect_pending_max
            .is_some_and(|pending| pending < self.threads)
        {
            return Err(PlanError::new(
                "connect_pending_max must be at least one for each thread",
            ));
        }
        self.protocol.check()?;
        self.tcp.check()?;
        if !self.url()?.is_encrypted && self.tls != TlsPlan::default() {
            return Err(PlanError::new(
                "tls belongs to wss://, https:// and tls://: leave it out, or begin the url so",
            ));
        }
        if let Some(compression) = &self.compression {
            compression.offer()?;
        }
        self.check_frames()?;
        let workload = self.workload.plan();
        if let Some(phases) = workload.phases() {
            phases.check()?;
        }
        workload.check(self.connections, &self.protocol)
    }

    /// Not every protocol has requests, compression and fragments.
    fn check_frames(&self) -> Result<(), PlanError> {
        let fragments = self.workload.plan().fragment_bytes().is_some();
        match &self.protocol {
            ProtocolPlan::FramedTcp {}
                if fragments || self.compression.is_some() || !self.request.is_empty() =>
            {
                Err(PlanError::new(
                    "framed-tcp has no request, no compression and no fragments: leave them out",
                ))
            }
            ProtocolPlan::SocketIo(plan)
                if plan.transport == SocketIoTransport::Polling
                    && (fragments || self.compression.is_some()) =>
            {
                Err(PlanError::new(
                    "polling has no compression and no fragments: leave them out",
                ))
            }
            _ => Ok(()),
        }
    }

    /// The address, which must be one of the protocol.
    ///
    /// # Errors
    ///
    /// When it is not.
    pub fn url(&self) -> Result<Url, PlanError> {
        let url = Url::parse(&self.url)?;
        let (is_right, schemes) = match &self.protocol {
            ProtocolPlan::WebSocket {} => (url.scheme == Scheme::WebSocket, "ws:// or wss://"),
            ProtocolPlan::SocketIo(_) => (url.scheme != Scheme::Tcp, "http:// or https://"),
            ProtocolPlan::FramedTcp {} => (url.scheme == Scheme::Tcp, "tcp:// or tls://"),
        };
        if is_right {
            return Ok(url);
        }
        Err(PlanError::new(format!(
            "{:?} is no address of this protocol: begin it with {schemes}",
            self.url
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str) -> Result<(), String> {
        let plan: LoadPlan = serde_json::from_str(json).map_err(|error| error.to_string())?;
        plan.check().map_err(|error| error.to_string())
    }

    #[test]
    fn what_cannot_be_done_is_refused_with_the_remedy() {
        for (workload, settings, remedy) in [
            (r#"{"kind":"receive","messages":0}"#, "", "at least 1"),
            (r#"{"kind":"receive"}"#, "", "messages or phases"),
            (
                r#"{"kind":"receive","messages":1,"payload":{"random_bytes":3}}"#,
                "",
                "one text",
            ),
            (
                r#"{"kind":"connect","phases":{"window_s":0}}"#,
                "",
                "above 0",
            ),
            (
                r#"{"kind":"connect","phases":{"window_s":1}}"#,
                r#","protocol":{"kind":"framed-tcp"}"#,
                "tcp://",
            ),
            (
                r#"{"kind":"connect","phases":{"window_s":1}}"#,
                r#","compression":{"level":11}"#,
                "0 to 9",
            ),
            (
                r#"{"kind":"answer","phases":{"window_s":1}}"#,
                r#","protocol":{"kind":"socket-io","transport":"polling"}"#,
                "without acknowledge",
            ),
            (
                r#"{"kind":"slow-consumer","slow":{"share":0},"phases":{"window_s":1}}"#,
                "",
                "slow.share",
            ),
            (
                r#"{"kind":"receive","messages":1,"feed":{"kind":"hello","broadcast":true}}"#,
                "",
                "numbers",
            ),
        ] {
            let plan = format!(r#"{{"format":2,"url":"ws://h/","workload":{workload}{settings}}}"#);
            let error = check(&plan).unwrap_err();
            assert!(error.contains(remedy), "{plan}: {error}");
        }
    }
}
