//! The part of a schedule that one thread or one connection sends.

/// The connections whose messages one sender sends.
///
/// Message `number` of a schedule belongs to connection `number` modulo the number of connections:
/// all connections have the same rate, and are staggered evenly over one of their intervals. A
/// share is every `of`-th connection, beginning with connection `index`. The shares with `index`
/// from 0 to `of` - 1 together are the whole schedule, with each message once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub(super) index: u64,
    pub(super) of: u64,
    pub(super) connections: u64,
}

impl Share {
    /// Creates the share of one thread of `of`: connections `index`, `index + of`, … of
    /// `connections`.
    ///
    /// One cursor ([`Arrivals`](super::Arrivals)) covers them all, and returns the connection of
    /// each message.
    /// Panics if `index` is not less than `of`, or if `connections` is 0.
    pub fn new(index: u64, of: u64, connections: u64) -> Self {
        assert!(index < of, "share {index} of {of}: count from 0");
        assert!(connections > 0, "a schedule needs at least one connection");
        Self {
            index,
            of,
            connections,
        }
    }

    /// Returns the number of connections of the share; 0 if there are fewer connections than
    /// threads and none is left for this one.
    pub fn connections(self) -> u64 {
        self.connections
            .saturating_sub(self.index)
            .div_ceil(self.of)
    }

    /// Returns how many of a number of messages belong to the share.
    pub fn messages(self, all: u64) -> u64 {
        let rest = Self {
            connections: all % self.connections,
            ..self
        };
        all / self.connections * self.connections() + rest.connections()
    }

    /// Converts an index within the share to the index among all connections.
    pub fn of_all(self, connection: u64) -> u64 {
        self.index + connection * self.of
    }

    /// Returns the number of messages from the share's last connection to its first one in the next
    /// interval.
    pub(super) fn jump(self) -> u64 {
        self.connections - (self.connections() - 1) * self.of
    }
}
