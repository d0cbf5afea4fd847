//! Shared code of the Zig contestants: docs/contract.md.

pub const Client = @import("client.zig").Client;
pub const Connection = @import("client.zig").Connection;
pub const MESSAGE_BYTES_MAX = @import("server.zig").MESSAGE_BYTES_MAX;
pub const Message = @import("subscribers.zig").Message;
pub const Queue = @import("subscribers.zig").Queue;
pub const Server = @import("server.zig").Server;
pub const Subscriber = @import("subscribers.zig").Subscriber;
pub const Subscribers = @import("subscribers.zig").Subscribers;
pub const Url = @import("client.zig").Url;
pub const fail = @import("variables.zig").fail;
