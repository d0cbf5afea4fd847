//! Who gets a feed, and when it begins: docs/contract.md, clauses 8.5 to 8.8. Each subscriber has a thread
//! that sends to it.

const std = @import("std");
const clock = @import("clock.zig");
const feeding = @import("feeding.zig");
const serving = @import("serving.zig");

/// Of a continuous feed: so many messages may wait for a subscriber's thread.
const QUEUE_LENGTH = 16;

/// What is to be sent: to many, so it is kept until the last of them has let it go.
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

    pub fn letGo(self: *Message, allocator: std.mem.Allocator) void {
        if (self.holders.fetchSub(1, .acq_rel) > 1) return;
        allocator.free(self.bytes);
        allocator.destroy(self);
    }
};

/// One of the subscribers. Its fields are the subscribers's.
pub const Subscriber = struct {
    waiting: std.ArrayList(*Message) = .empty,
    has_news: std.Thread.Condition = .{},
    is_gone: bool = false,
    is_over: bool = false,
};

/// Those who have joined, and their feed; one group of subscribers after another.
pub const Subscribers = struct {
    allocator: std.mem.Allocator,
    settings: serving.FeedSettings,
    output: *std.Io.Writer,
    lock: std.Thread.Mutex = .{},
    has_room: std.Thread.Condition = .{},
    subscribed: std.ArrayList(*Subscriber) = .empty,
    is_feeding: bool = false,

    /// Adds a subscriber, the last of whom begins the feed.
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

    /// Waits for messages, and moves them to an empty list; none: it is over.
    pub fn take(self: *Subscribers, subscriber: *Subscriber, taken: *std.ArrayList(*Message)) void {
        self.lock.lock();
        defer self.lock.unlock();
        while (!subscriber.is_gone and !subscriber.is_over and subscriber.waiting.items.len == 0) {
            subscriber.has_news.wait(&self.lock);
        }
        if (subscriber.is_gone) return;
        std.mem.swap(std.ArrayList(*Message), &subscriber.waiting, taken);
        self.has_room.signal();
    }

    /// Has a ping of a subscriber answered, in turn with its messages.
    pub fn answerPing(self: *Subscribers, subscriber: *Subscriber, payload: []const u8) !void {
        const bytes = try self.allocator.dupe(u8, payload);
        const pong = try Message.create(self.allocator, .{ .kind = .pong, .bytes = bytes });
        self.lock.lock();
        defer self.lock.unlock();
        try subscriber.waiting.append(self.allocator, pong);
        subscriber.has_news.signal();
    }

    /// Notes that a subscriber is gone. It gets nothing more.
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

    /// Frees a subscriber that has left, and that no thread uses any more.
    pub fn free(self: *Subscribers, subscriber: *Subscriber) void {
        for (subscriber.waiting.items) |message| message.letGo(self.allocator);
        subscriber.waiting.deinit(self.allocator);
        self.allocator.destroy(subscriber);
    }

    fn publish(self: *Subscribers, start_ns: u64) void {
        var feed: feeding.Feed = .{
            .settings = &self.settings,
            .output = self.output,
            .start_ns = start_ns,
        };
        // A feed that has stopped must not look like one that is slow.
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
            // Made with the lock held: who is counted is who gets it.
            const count = self.subscribed.items.len;
            const message = try Message.create(self.allocator, .{
                .kind = if (self.settings.format.isBinary()) .binary else .text,
                .bytes = try feed.nextMessage(self.allocator, clock.nowNs(), count),
            });
            defer message.letGo(self.allocator);
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

    /// Waits until the slowest subscriber has taken what waits for it.
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
