//! Shared code of the Zig contestants: docs/contract.md.

pub const Subscribers = @import("subscribers.zig").Subscribers;
pub const Connection = @import("receiver.zig").Connection;
pub const EchoSettings = @import("settings.zig").EchoSettings;
pub const Exchanger = @import("exchanger.zig").Exchanger;
pub const Subscriber = @import("subscribers.zig").Subscriber;
pub const Message = @import("subscribers.zig").Message;
pub const PAYLOAD_BYTES_MAX = @import("serving.zig").PAYLOAD_BYTES_MAX;
pub const Receiver = @import("receiver.zig").Receiver;
pub const ReceiverSettings = @import("settings.zig").ReceiverSettings;
pub const ServerSettings = @import("serving.zig").ServerSettings;
pub const Url = @import("settings.zig").Url;
pub const Workload = @import("settings.zig").Workload;
pub const readOrExit = @import("variables.zig").readOrExit;
pub const readWorkload = @import("settings.zig").readWorkload;
pub const runWorkers = @import("workers.zig").runWorkers;
