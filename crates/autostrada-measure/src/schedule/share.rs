//! The part of a schedule that one thread, or one connection, sends.

/// The connections for whose messages one sender is responsible.
///
/// Message `number` of a schedule belongs to connection `number` modulo all connections: each
/// connection has the same rate, and they are staggered evenly over one interval of theirs. A
/// share is every `of`-th connection, beginning with connection `index`; the shares of all
/// `index` below `of` are the whole schedule, each message once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    index: u64,
    of: u64,
    connections: u64,
}

impl Share {
    /// All messages, as of one connection.
    pub const WHOLE: Self = Self {
        index: 0,
        of: 1,
        connections: 1,
    };

    /// Connections `index`, `index + of`, … below `connections`: those of one thread of `of`.
    ///
    /// One arrivals cursor serves them all: it says for which connection a message is due.
    #[must_use]
    pub fn new(index: u64, of: u64, connections: u64) -> Self {
        assert!(index < of, "share {index} of {of}: count from 0");
        assert!(connections > 0, "a schedule for no connection");
        Self {
            index,
            of,
            connections,
        }
    }

    /// One connection of `connections`, with a cursor of its own.
    #[must_use]
    pub fn of_connection(index: u64, connections: u64) -> Self {
        Self::new(index, connections, connections)
    }

    /// How many connections the share has; none where there are more threads than connections.
    #[must_use]
    pub fn connections(self) -> u64 {
        self.connections
            .saturating_sub(self.index)
            .div_ceil(self.of)
    }

    /// The number, of all connections, of the share's connection `connection`.
    #[must_use]
    pub fn of_all(self, connection: u64) -> u64 {
        self.index + connection * self.of
    }

    pub(super) fn index(self) -> u64 {
        self.index
    }

    pub(super) fn of(self) -> u64 {
        self.of
    }

    pub(super) fn all_connections(self) -> u64 {
        self.connections
    }

    /// From the last connection of the share on to its first one, in messages.
    pub(super) fn jump(self) -> u64 {
        self.connections - (self.connections() - 1) * self.of
    }
}
