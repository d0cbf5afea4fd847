//! The plans that the engine reads, format 2: `docs/format.md`.

mod load;
mod observe;
mod serve;
mod url;

use std::fmt;

pub use load::{
    CompressionPlan, FramesPerCall, MessageKind, PayloadPlan, Phases, ProtocolPlan, RequestPlan,
    SchedulePlan, SocketIoPlan, SocketIoTransport, Source, TcpPlan, TlsPlan, nanos,
};
pub use observe::ObservePlan;
pub use serve::{
    FaultPlan, FeedEncodingName, FeedKindName, FeedPlan, FramesPerWrite, GrantedCompression,
    ServePlan, ServeProtocol, ServeProtocolKind, ServeWorkload, Stall, TlsFiles,
};
pub use url::{Scheme, Url, resolve};

/// The number that a plan's `format` must have.
pub const FORMAT: u32 = 2;

/// A plan, or a flag, that cannot be carried out: the user's to mend, exit status 2.
#[derive(Debug)]
pub struct PlanError(String);

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

impl PlanError {
    /// An error whose message names the remedy.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// Checks the number of a plan's format.
///
/// # Errors
///
/// When it is another than this engine reads.
pub fn check_format(format: u32) -> Result<(), PlanError> {
    if format == FORMAT {
        return Ok(());
    }
    Err(PlanError::new(format!(
        "the plan has format {format}, this engine reads format {FORMAT}: \
         use the autostrada and the autostrada-engine of one release"
    )))
}
