//! Who gets a feed, and when it begins: docs/contract.md, clauses 8.5 to 8.8. Each member has a thread
//! that sends to it.

const std = @import("std");
const clock = @import("clock.zig");
const feeding = @import("feeding.zig");
const serving = @import("serving.zig");

/// Of a continuous feed: so many messages may wait for a member's thread.
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

/// One of the audience. Its fields are the audience's.
pub const Member = struct {
    waiting: std.ArrayList(*Message) = .empty,
    has_news: std.Thread.Condition = .{},
    is_gone: bool = false,
    is_over: bool = false,
};

/// Those who have joined, and their feed; one audience after another.
pub const Audience = struct {
    allocator: std.mem.Allocator,
    settings: serving.FeedSettings,
    output: *std.Io.Writer,
    lock: std.Thread.Mutex = .{},
    has_room: std.Thread.Condition = .{},
    members: std.ArrayList(*Member) = .empty,
    is_feeding: bool = false,

    /// Adds a member, the last of whom begins the feed.
    pub fn join(self: *Audience) !*Member {
        self.lock.lock();
        defer self.lock.unlock();
        const member = try self.allocator.create(Member);
        member.* = .{};
        try self.members.append(self.allocator, member);
        if (!self.is_feeding and self.members.items.len == self.settings.audience) {
            self.is_feeding = true;
            const thread = try std.Thread.spawn(.{}, publish, .{ self, clock.nowNs() });
            thread.detach();
        }
        return member;
    }

    /// Waits for messages, and moves them to an empty list; none: it is over.
    pub fn take(self: *Audience, member: *Member, taken: *std.ArrayList(*Message)) void {
        self.lock.lock();
        defer self.lock.unlock();
        while (!member.is_gone and !member.is_over and member.waiting.items.len == 0) {
            member.has_news.wait(&self.lock);
        }
        if (member.is_gone) return;
        std.mem.swap(std.ArrayList(*Message), &member.waiting, taken);
        self.has_room.signal();
    }

    /// Has a ping of a member answered, in turn with its messages.
    pub fn answerPing(self: *Audience, member: *Member, payload: []const u8) !void {
        const bytes = try self.allocator.dupe(u8, payload);
        const pong = try Message.create(self.allocator, .{ .kind = .pong, .bytes = bytes });
        self.lock.lock();
        defer self.lock.unlock();
        try member.waiting.append(self.allocator, pong);
        member.has_news.signal();
    }

    /// Notes that a member is gone. It gets nothing more.
    pub fn leave(self: *Audience, member: *Member) void {
        self.lock.lock();
        defer self.lock.unlock();
        member.is_gone = true;
        if (std.mem.indexOfScalar(*Member, self.members.items, member)) |index| {
            _ = self.members.swapRemove(index);
        }
        member.has_news.signal();
        self.has_room.signal();
    }

    /// Frees a member that has left, and that no thread uses any more.
    pub fn free(self: *Audience, member: *Member) void {
        for (member.waiting.items) |message| message.letGo(self.allocator);
        member.waiting.deinit(self.allocator);
        self.allocator.destroy(member);
    }

    fn publish(self: *Audience, start_ns: u64) void {
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

    fn handOut(self: *Audience, feed: *feeding.Feed) !void {
        self.lock.lock();
        defer self.lock.unlock();
        while (try feed.waitNs(clock.nowNs(), self.members.items.len)) |wait_ns| {
            if (wait_ns > 0) {
                self.lock.unlock();
                defer self.lock.lock();
                std.Thread.sleep(wait_ns);
                continue;
            }
            // Made with the lock held: who is counted is who gets it.
            const count = self.members.items.len;
            const message = try Message.create(self.allocator, .{
                .kind = if (self.settings.format.isBinary()) .binary else .text,
                .bytes = try feed.nextMessage(self.allocator, clock.nowNs(), count),
            });
            defer message.letGo(self.allocator);
            for (self.members.items) |member| {
                try member.waiting.append(self.allocator, message.hold());
                member.has_news.signal();
            }
            if (self.settings.every_ns == null) self.waitForRoom();
        }
        for (self.members.items) |member| {
            member.is_over = true;
            member.has_news.signal();
        }
        self.members.clearRetainingCapacity();
        self.is_feeding = false;
        try feed.finish();
    }

    /// Waits until the slowest member has taken what waits for it.
    fn waitForRoom(self: *Audience) void {
        while (self.isFull()) self.has_room.wait(&self.lock);
    }

    fn isFull(self: *const Audience) bool {
        for (self.members.items) |member| {
            if (member.waiting.items.len >= QUEUE_LENGTH) return true;
        }
        return false;
    }
};
