//! The parts of the plan of `load` that do not depend on the workload.

mod json_path;
mod part;
mod payload;
mod reply;
mod schedule;
mod transport;
mod users;

pub use json_path::JsonPath;
pub use part::{PartPlan, Shares};
pub use payload::{MessageKind, PayloadPlan, Source};
pub use reply::{Identifier, ReplyPlan};
pub use schedule::{PHASE_S_MAX, Phases, SchedulePlan, nanos};
pub use transport::{
    CompressionPlan, ProtocolPlan, RequestPlan, SocketIoPlan, SocketIoTransport, TcpPlan, TlsPlan,
};
pub use users::{Users, UsersPlan};
