//! How a thread looks after sessions of Socket.IO: their pings, and those that are polled.

use autostrada_net::clock;

use super::Worker;
use crate::line::{self, Line};
use crate::server::measurement::{Measurement, PeerEnd};
use crate::server::protocol::{Finished, Key, Route};

impl Worker {
    /// Takes note of a session by WebSocket.
    pub(super) fn note_session(&mut self, index: usize) {
        if let Some(connection) = &self.connections[index] {
            self.pings.push(clock::now(), index, connection.serial());
        }
    }

    /// Asks each session whose turn it is whether its client is there, and ends those that have
    /// not answered the last time.
    pub(super) fn ping_sessions(&mut self) -> anyhow::Result<()> {
        let now = clock::now();
        while let Some((index, serial)) = self.pings.take_overdue(now) {
            let slot = &mut self.connections[index];
            let Some(connection) = slot.as_mut().filter(|one| one.serial() == serial) else {
                continue;
            };
            if connection.ping() {
                self.pings.push(now, index, serial);
                self.runnable.push(index);
            } else {
                self.drop_connection(index, "the client has not answered a ping")?;
            }
        }
        while let Some((index, serial)) = self.polled_pings.take_overdue(now) {
            let key = Key { index, serial };
            let pollings = &mut self.resources.pollings;
            let Some(polled) = pollings.get(key) else {
                continue;
            };
            if polled.ping() {
                self.polled_pings.push(now, index, serial);
                pollings.awaken(key);
            } else {
                pollings.over.push((key, false));
            }
        }
        self.tend_sessions()
    }

    /// Looks after what has become of sessions by polling.
    pub(super) fn tend_sessions(&mut self) -> anyhow::Result<()> {
        while self.resources.pollings.has_news() {
            let pollings = &mut self.resources.pollings;
            let new = std::mem::take(&mut pollings.new);
            let awake = std::mem::take(&mut pollings.awake);
            let opened = std::mem::take(&mut pollings.opened);
            let asked = std::mem::take(&mut pollings.asked);
            let over = std::mem::take(&mut pollings.over);
            if new.messages > 0 {
                self.shared.counters.count(self.number, new);
            }
            self.runnable.extend(awake);
            for key in opened {
                self.shared.counters.connect();
                self.polled_pings.push(clock::now(), key.index, key.serial);
            }
            for (key, route) in asked {
                self.serve_polled(key, route)?;
            }
            for (key, is_violation) in over {
                self.end_polled(key, is_violation)?;
            }
        }
        Ok(())
    }

    fn serve_polled(&mut self, key: Key, route: Route) -> anyhow::Result<()> {
        let is_feed = route == Route::Feed;
        let is_measured = !is_feed || self.resources.measures_listeners;
        let measurement = is_measured.then(|| Measurement::begin(&self.resources.observed, 0));
        let Some(polled) = self.resources.pollings.get(key) else {
            return Ok(());
        };
        polled.serve(route, measurement);
        if is_feed {
            self.join_polled(key)?;
        }
        self.resources.pollings.awaken(key);
        Ok(())
    }

    fn end_polled(&mut self, key: Key, is_violation: bool) -> anyhow::Result<()> {
        let closed_ns = clock::now();
        self.leave_polled(key);
        let Some(polled) = self.resources.pollings.remove(key) else {
            return Ok(());
        };
        let Finished {
            was_opened,
            measured,
            waiting,
        } = polled.finish();
        self.runnable.extend(waiting);
        if let Some((measurement, traffic)) = measured {
            let end = if is_violation {
                PeerEnd::Violation
            } else {
                PeerEnd::Closed(None)
            };
            let observed = &self.resources.observed;
            let result = measurement.end(&traffic, end, closed_ns, None, observed);
            line::print(&Line::Serve(&result))?;
        }
        self.shared.counters.disconnect(was_opened);
        Ok(())
    }
}
