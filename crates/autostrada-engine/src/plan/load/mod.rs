//! The parts of the plan of `load` that do not depend on the workload.

mod payload;
mod schedule;
mod transport;

pub use payload::{MessageKind, PayloadPlan, Source};
pub use schedule::{Phases, SchedulePlan, nanos};
pub use transport::{
    CompressionPlan, ProtocolPlan, RequestPlan, SocketIoPlan, SocketIoTransport, TcpPlan, TlsPlan,
};
