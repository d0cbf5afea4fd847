//! Runs all tests of the kit.

test {
    _ = @import("test_client.zig");
    _ = @import("test_feeding.zig");
    _ = @import("test_vectors.zig");
}
