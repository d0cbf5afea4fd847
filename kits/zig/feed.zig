//! Encodes and decodes the messages of a feed: docs/contract.md, section 7.

const std = @import("std");
const variables = @import("variables.zig");

const GREETING = "hello world";
const NUMBER_END = 1 << 53;
const TIME_NS_END = 1 << 63;
const DIGITS_MAX = 19;
const HEAD_BYTES = 20;
const RECORD_BYTES = 40;
const CSV_HEAD = "date,open,high,low,close,volume";

pub const Kind = enum { hello, sequence, clock, stocks };
pub const Encoding = enum { json, binary };

/// A stock record: open, high, low and close, and the volume.
pub const Stock = struct { prices: [4]f64, volume: u64 };

/// The sequence number and the time in a message; null if its kind has none.
pub const Heading = struct { number: ?u64 = null, time_ns: ?u64 = null };

/// The kind and the encoding of a feed's messages.
pub const FeedFormat = struct {
    kind: Kind,
    encoding: Encoding = .json,

    /// Reads the variables of a feed; returns null if FEED is not set.
    pub fn read(from: *variables.Variables) variables.Error!?FeedFormat {
        if (!from.isSet("FEED")) return null;
        return .{
            .kind = try from.readChoice(Kind, "FEED"),
            .encoding = try from.readChoice(Encoding, "ENCODING"),
        };
    }

    pub fn isBinary(self: FeedFormat) bool {
        return self.encoding == .binary;
    }

    pub fn hasNumber(self: FeedFormat) bool {
        return self.kind == .sequence or self.kind == .stocks;
    }

    pub fn hasInstant(self: FeedFormat) bool {
        return self.kind == .clock or self.kind == .stocks;
    }

    /// Writes an encoded message. Only messages of kind stocks use the records.
    pub fn encode(
        self: FeedFormat,
        to: *std.Io.Writer,
        heading: struct { number: u64, time_ns: u64 },
        stocks: []const Stock,
    ) std.Io.Writer.Error!void {
        const value = if (self.kind == .sequence) heading.number else heading.time_ns;
        switch (self.kind) {
            .hello => try to.writeAll(GREETING),
            .sequence, .clock => switch (self.encoding) {
                .json => try to.print("{d}", .{value}),
                .binary => try to.writeInt(u64, value, .big),
            },
            .stocks => switch (self.encoding) {
                .json => try writeJson(to, heading.number, heading.time_ns, stocks),
                .binary => try writeBinary(to, heading.number, heading.time_ns, stocks),
            },
        }
    }

    /// Returns the message's number and time, or an error if it is not a message of this feed.
    pub fn decode(
        self: FeedFormat,
        message: []const u8,
        is_binary: bool,
    ) error{WrongMessage}!Heading {
        if (is_binary != self.isBinary()) return error.WrongMessage;
        const heading: Heading = switch (self.kind) {
            .hello => if (std.mem.eql(u8, message, GREETING)) .{} else return error.WrongMessage,
            .sequence => .{ .number = try self.decodeValue(message) },
            .clock => .{ .time_ns = try self.decodeValue(message) },
            .stocks => if (is_binary) try readBinary(message) else try readJson(message),
        };
        if ((heading.number orelse 0) >= NUMBER_END or (heading.time_ns orelse 0) >= TIME_NS_END) {
            return error.WrongMessage;
        }
        return heading;
    }

    fn decodeValue(self: FeedFormat, message: []const u8) error{WrongMessage}!u64 {
        if (self.isBinary()) {
            if (message.len != 8) return error.WrongMessage;
            return std.mem.readInt(u64, message[0..8], .big);
        }
        var rest = message;
        const value = try takeDigits(&rest);
        return if (rest.len == 0) value else error.WrongMessage;
    }
};

fn writeJson(to: *std.Io.Writer, number: u64, time_ns: u64, stocks: []const Stock) !void {
    try to.print("{{\"sequence\":{d},\"time_ns\":{d},\"stocks\":[", .{ number, time_ns });
    for (stocks, 0..) |stock, index| {
        if (index > 0) try to.writeByte(',');
        const names = [_][]const u8{ "{\"open\":", ",\"high\":", ",\"low\":", ",\"close\":" };
        for (names, stock.prices) |name, price| try to.print("{s}{d:.2}", .{ name, price });
        try to.print(",\"volume\":{d}}}", .{stock.volume});
    }
    try to.writeAll("]}");
}

fn writeBinary(to: *std.Io.Writer, number: u64, time_ns: u64, stocks: []const Stock) !void {
    try to.writeInt(u64, number, .big);
    try to.writeInt(u64, time_ns, .big);
    try to.writeInt(u32, @intCast(stocks.len), .big);
    for (stocks) |stock| {
        for (stock.prices) |price| try to.writeInt(u64, @bitCast(price), .big);
        try to.writeInt(u64, stock.volume, .big);
    }
}

fn readJson(message: []const u8) error{WrongMessage}!Heading {
    var rest = message;
    try skip(&rest, "{\"sequence\":");
    const number = try takeDigits(&rest);
    try skip(&rest, ",\"time_ns\":");
    const time_ns = try takeDigits(&rest);
    try skip(&rest, ",\"stocks\":[");
    if (!std.mem.endsWith(u8, rest, "]}")) return error.WrongMessage;
    return .{ .number = number, .time_ns = time_ns };
}

fn readBinary(message: []const u8) error{WrongMessage}!Heading {
    if (message.len < HEAD_BYTES) return error.WrongMessage;
    const records: usize = std.mem.readInt(u32, message[16..20], .big);
    if (message.len != HEAD_BYTES + RECORD_BYTES * records) return error.WrongMessage;
    return .{
        .number = std.mem.readInt(u64, message[0..8], .big),
        .time_ns = std.mem.readInt(u64, message[8..16], .big),
    };
}

fn skip(rest: *[]const u8, expected: []const u8) error{WrongMessage}!void {
    if (!std.mem.startsWith(u8, rest.*, expected)) return error.WrongMessage;
    rest.* = rest.*[expected.len..];
}

/// Removes and returns a number without leading zeros from the front.
fn takeDigits(rest: *[]const u8) error{WrongMessage}!u64 {
    var length: usize = 0;
    while (length < rest.len and std.ascii.isDigit(rest.*[length])) length += 1;
    const digits = rest.*[0..length];
    if (length == 0 or length > DIGITS_MAX) return error.WrongMessage;
    if (length > 1 and digits[0] == '0') return error.WrongMessage;
    rest.* = rest.*[length..];
    return std.fmt.parseInt(u64, digits, 10) catch error.WrongMessage;
}

/// Parses the content of a CSV file.
pub fn parseStocks(
    allocator: std.mem.Allocator,
    text: []const u8,
) error{ NotStocks, OutOfMemory }![]Stock {
    const content = if (std.mem.endsWith(u8, text, "\n")) text[0 .. text.len - 1] else text;
    var lines = std.mem.splitScalar(u8, content, '\n');
    if (!std.mem.eql(u8, lines.first(), CSV_HEAD)) return error.NotStocks;
    var stocks: std.ArrayList(Stock) = .empty;
    errdefer stocks.deinit(allocator);
    while (lines.next()) |line| try stocks.append(allocator, try parseRecord(line));
    if (stocks.items.len == 0) return error.NotStocks;
    return stocks.toOwnedSlice(allocator);
}

fn parseRecord(line: []const u8) error{NotStocks}!Stock {
    var fields = std.mem.splitScalar(u8, line, ',');
    _ = fields.first();
    var stock: Stock = undefined;
    for (&stock.prices) |*price| price.* = try parsePrice(fields.next() orelse return error.NotStocks);
    const volume = fields.next() orelse return error.NotStocks;
    if (!isDigits(volume, 15) or fields.next() != null) return error.NotStocks;
    stock.volume = std.fmt.parseInt(u64, volume, 10) catch return error.NotStocks;
    return stock;
}

fn parsePrice(text: []const u8) error{NotStocks}!f64 {
    const point = std.mem.indexOfScalar(u8, text, '.') orelse return error.NotStocks;
    const decimals = text[point + 1 ..];
    if (!isDigits(text[0..point], 7) or decimals.len != 2 or !isDigits(decimals, 2)) {
        return error.NotStocks;
    }
    return std.fmt.parseFloat(f64, text) catch error.NotStocks;
}

fn isDigits(text: []const u8, length_max: usize) bool {
    for (text) |character| if (!std.ascii.isDigit(character)) return false;
    return text.len >= 1 and text.len <= length_max;
}
