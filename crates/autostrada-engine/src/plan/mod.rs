//! The plans that the engine reads, format 2: `docs/format.md`.

mod frames_per_write;
mod load;
mod observe;
mod serve;
mod url;

use std::fmt;

pub use frames_per_write::FramesPerWrite;
pub use load::{
    CompressionPlan, Identifier, JsonPath, MessageKind, PHASE_S_MAX, PartPlan, PayloadPlan, Phases,
    ProtocolPlan, ReplyPlan, RequestPlan, SchedulePlan, Shares, SocketIoPlan, SocketIoTransport,
    Source, TcpPlan, TlsPlan, Users, UsersPlan, nanos,
};
pub use observe::{ObserveCommand, ObservePlan, OpenConnection};
pub use serve::{
    FaultPlan, FeedEncodingName, FeedKindName, FeedPlan, GrantedCompression, PingPlan, ServePlan,
    ServeProtocolKind, ServeWorkload, Stall, TlsFiles,
};
pub use url::{Proxy, Scheme, Url, resolve};

/// The number that a plan's `format` must have.
pub const FORMAT: u32 = 2;

/// An invalid plan or flag. The user can correct it; the exit status is 2.
#[derive(Debug)]
pub struct PlanError(String);

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

impl PlanError {
    /// Creates an error. The message must name the remedy.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// Checks the format version of a plan.
pub fn check_format(format: u32) -> Result<(), PlanError> {
    if format == FORMAT {
        return Ok(());
    }
    Err(PlanError::new(format!(
        "the plan has format {format}, this engine reads format {FORMAT}: \
         use the autostrada and the autostrada-engine of one release"
    )))
}
