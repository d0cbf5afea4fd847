//! What the plan of `load` consists of beside its workload.

mod payload;
mod schedule;
mod transport;

pub use payload::{MessageKind, PayloadPlan, Source};
pub use schedule::{Phases, SchedulePlan, nanos};
pub use transport::{
    Carrier, CompressionPlan, FramesPerCall, ProtocolPlan, RequestPlan, SocketIoPlan, TcpPlan,
    TlsPlan,
};
