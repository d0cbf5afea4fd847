//! Passes the messages of publishers on to subscribers. Each subscriber has a queue and a thread
//! that writes what waits in it.

const std = @import("std");

const Opcode = std.http.Server.WebSocket.Opcode;

/// A message for several subscribers. It is freed when the last of them releases it.
pub const Message = struct {
    opcode: Opcode,
    bytes: []const u8,
    holders: std.atomic.Value(usize) = .init(1),

    fn release(self: *Message, allocator: std.mem.Allocator) void {
        if (self.holders.fetchSub(1, .acq_rel) > 1) return;
        allocator.free(self.bytes);
        allocator.destroy(self);
    }
};

pub const Queue = std.ArrayList(*Message);

/// One subscriber. Its fields belong to Subscribers.
pub const Subscriber = struct {
    socket: std.posix.socket_t,
    queue: Queue = .empty,
    has_news: std.Thread.Condition = .{},
    is_over: bool = false,
};

pub const Subscribers = struct {
    allocator: std.mem.Allocator,
    lock: std.Thread.Mutex = .{},
    joined: std.ArrayList(*Subscriber) = .empty,

    /// Adds a subscriber, which gets all messages from now on.
    pub fn join(self: *Subscribers, subscriber: *Subscriber) !void {
        self.lock.lock();
        defer self.lock.unlock();
        try self.joined.append(self.allocator, subscriber);
    }

    /// Removes a subscriber, which no other thread uses.
    pub fn leave(self: *Subscribers, subscriber: *Subscriber) void {
        self.lock.lock();
        defer self.lock.unlock();
        _ = self.joined.swapRemove(std.mem.indexOfScalar(*Subscriber, self.joined.items, subscriber).?);
        self.release(&subscriber.queue);
        subscriber.queue.deinit(self.allocator);
    }

    /// Adds a message to all queues, which have no limit.
    pub fn send(self: *Subscribers, opcode: Opcode, bytes: []const u8) !void {
        const message = try self.allocator.create(Message);
        message.* = .{ .opcode = opcode, .bytes = try self.allocator.dupe(u8, bytes) };
        defer message.release(self.allocator);
        self.lock.lock();
        defer self.lock.unlock();
        for (self.joined.items) |subscriber| {
            try subscriber.queue.append(self.allocator, message);
            _ = message.holders.fetchAdd(1, .monotonic);
            subscriber.has_news.signal();
        }
    }

    /// Waits for messages and moves them to an empty queue. They must be released. Returns false
    /// when the subscriber has been ended.
    pub fn take(self: *Subscribers, subscriber: *Subscriber, taken: *Queue) bool {
        self.lock.lock();
        defer self.lock.unlock();
        while (!subscriber.is_over and subscriber.queue.items.len == 0)
            subscriber.has_news.wait(&self.lock);
        if (subscriber.is_over) return false;
        std.mem.swap(Queue, &subscriber.queue, taken);
        return true;
    }

    /// Empties a queue.
    pub fn release(self: *const Subscribers, queue: *Queue) void {
        for (queue.items) |message| message.release(self.allocator);
        queue.clearRetainingCapacity();
    }

    /// Ends a subscriber: reading from its connection fails, and so does writing.
    pub fn end(self: *Subscribers, subscriber: *Subscriber) void {
        self.lock.lock();
        defer self.lock.unlock();
        subscriber.is_over = true;
        subscriber.has_news.signal();
        // It fails if the connection has ended, which is what it is for.
        std.posix.shutdown(subscriber.socket, .both) catch {};
    }
};
