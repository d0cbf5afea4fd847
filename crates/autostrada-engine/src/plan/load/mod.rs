//! What the plan of `load` consists of beside its workload.

mod payload;
mod schedule;
mod transport;

pub use payload::{MessageKind, PayloadPlan, Source};
pub use schedule::{Phases, SchedulePlan, nanos};
pub use transport::{
    CompressionPlan, FramesPerCall, ProtocolPlan, RequestPlan, SocketIoPlan, SocketIoTransport,
    TcpPlan, TlsPlan,
};
