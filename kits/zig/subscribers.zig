//! Collects subscribers and starts a feed once all have joined: docs/contract.md, clauses 8.5 to
//! 8.8. Each subscriber has a thread that sends to it.

const std = @import("std");
const clock = @import("clock.zig");
const feeding = @import("feeding.zig");
const serving = @import("serving.zig");

/// Number of messages of a continuous feed that may wait for a subscriber's thread.
const QUEUE_LENGTH = 16;

/// A message to send to several subscribers. It is freed when the last of them releases it.
pub const Message = struct {
    kind: enum { text, binary, pong },
    bytes: []const u8,
    holders: std.atomic.Value(usize) = .init(1),

    fn create(allocator: std.mem.Allocator, message: Message) !*Message {
        const created = try allocator.create(Message);
        created.* = message;
        return created;
    }

    fn hold(self: *Message) *Message {
        _ = self.holders.fetchAdd(1, .monotonic);
        return self;
    }

    pub fn release(self: *Message, allocator: std.mem.Allocator) void {
        if (self.holders.fetchSub(1, .acq_rel) > 1) return;
        allocator.free(self.bytes);
        allocator.destroy(self);
    }
};

/// One subscriber. Its fields belong to Subscribers.
pub const Subscriber = struct {
    waiting: std.ArrayList(*Message) = .empty,
    has_news: std.Thread.Condition = .{},
    is_gone: bool = false,
    is_over: bool = false,
};

/// The subscribers and their feed; serves one group of subscribers after the other.
pub const Subscribers = struct {
    allocator: std.mem.Allocator,
    settings: serving.FeedSettings,
    output: *std.Io.Writer,
    lock: std.Thread.Mutex = .{},
    has_room: std.Thread.Condition = .{},
    subscribed: std.ArrayList(*Subscriber) = .empty,
    is_feeding: bool = false,

    /// Adds a subscriber; the last expected one starts the feed.
    pub fn join(self: *Subscribers) !*Subscriber {
        self.lock.lock();
        defer self.lock.unlock();
        const subscriber = try self.allocator.create(Subscriber);
        subscriber.* = .{};
        try self.subscribed.append(self.allocator, subscriber);
        if (!self.is_feeding and self.subscribed.items.len == self.settings.subscribers) {
            self.is_feeding = true;
            const thread = try std.Thread.spawn(.{}, publish, .{ self, clock.nowNs() });
            thread.detach();
        }
        return subscriber;
    }

    /// Waits for messages and moves them to an empty list. The list stays empty if the feed is
    /// over.
    pub fn take(self: *Subscribers, subscriber: *Subscriber, messages: *std.ArrayList(*Message)) void {
        self.lock.lock();
        defer self.lock.unlock();
        while (!subscriber.is_gone and !subscriber.is_over and subscriber.waiting.items.len == 0) {
            subscriber.has_news.wait(&self.lock);
        }
        if (subscriber.is_gone) return;
        std.mem.swap(std.ArrayList(*Message), &subscriber.waiting, messages);
        self.has_room.signal();
    }

    /// Queues the pong to a subscriber's ping behind its messages.
    pub fn answerPing(self: *Subscribers, subscriber: *Subscriber, payload: []const u8) !void {
        const bytes = try self.allocator.dupe(u8, payload);
        const pong = try Message.create(self.allocator, .{ .kind = .pong, .bytes = bytes });
        self.lock.lock();
        defer self.lock.unlock();
        try subscriber.waiting.append(self.allocator, pong);
        subscriber.has_news.signal();
    }

    /// Removes a subscriber that is gone. It receives nothing more.
    pub fn leave(self: *Subscribers, subscriber: *Subscriber) void {
        self.lock.lock();
        defer self.lock.unlock();
        subscriber.is_gone = true;
        if (std.mem.indexOfScalar(*Subscriber, self.subscribed.items, subscriber)) |index| {
            _ = self.subscribed.swapRemove(index);
        }
        subscriber.has_news.signal();
        self.has_room.signal();
    }

    /// Frees a subscriber that has left and that no thread uses any more.
    pub fn free(self: *Subscribers, subscriber: *Subscriber) void {
        for (subscriber.waiting.items) |message| message.release(self.allocator);
        subscriber.waiting.deinit(self.allocator);
        self.allocator.destroy(subscriber);
    }

    fn publish(self: *Subscribers, start_ns: u64) void {
        var feed: feeding.Feed = .{
            .settings = &self.settings,
            .output = self.output,
            .start_ns = start_ns,
        };
        // A feed that has stopped must not look like a slow one.
        self.handOut(&feed) catch |err| {
            std.debug.print("cannot feed: {t}\n", .{err});
            std.process.exit(1);
        };
    }

    fn handOut(self: *Subscribers, feed: *feeding.Feed) !void {
        self.lock.lock();
        defer self.lock.unlock();
        while (try feed.waitNs(clock.nowNs(), self.subscribed.items.len)) |wait_ns| {
            if (wait_ns > 0) {
                self.lock.unlock();
                defer self.lock.lock();
                std.Thread.sleep(wait_ns);
                continue;
            }
            // Created with the lock held, so that exactly the counted subscribers receive it.
            const count = self.subscribed.items.len;
            const message = try Message.create(self.allocator, .{
                .kind = if (self.settings.format.isBinary()) .binary else .text,
                .bytes = try feed.nextMessage(self.allocator, clock.nowNs(), count),
            });
            defer message.release(self.allocator);
            for (self.subscribed.items) |subscriber| {
                try subscriber.waiting.append(self.allocator, message.hold());
                subscriber.has_news.signal();
            }
            if (self.settings.every_ns == null) self.waitForRoom();
        }
        for (self.subscribed.items) |subscriber| {
            subscriber.is_over = true;
            subscriber.has_news.signal();
        }
        self.subscribed.clearRetainingCapacity();
        self.is_feeding = false;
        try feed.finish();
    }

    /// Waits until the slowest subscriber has room.
    fn waitForRoom(self: *Subscribers) void {
        while (self.isFull()) self.has_room.wait(&self.lock);
    }

    fn isFull(self: *const Subscribers) bool {
        for (self.subscribed.items) |subscriber| {
            if (subscriber.waiting.items.len >= QUEUE_LENGTH) return true;
        }
        return false;
    }
};
