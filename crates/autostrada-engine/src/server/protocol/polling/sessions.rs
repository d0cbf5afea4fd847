//! The sessions by polling of one thread.

use super::Polled;
use crate::server::protocol::socket_io::random_name;
use crate::server::protocol::{Route, Terms};
use crate::server::sending::Count;

/// A session among others: its place, and which one of those that had it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Its place.
    pub index: usize,
    /// Which session of its thread it is.
    pub serial: u32,
}

/// The sessions of a thread, and what has become of them since the thread looked last.
#[derive(Debug, Default)]
pub struct Pollings {
    sessions: Vec<Option<(String, u32, Box<Polled>)>>,
    free: Vec<usize>,
    serial: u32,
    /// Sessions that were opened.
    pub opened: Vec<Key>,
    /// Sessions that have asked for a route.
    pub asked: Vec<(Key, Route)>,
    /// Sessions that are over, and whether their client broke the protocol.
    pub over: Vec<(Key, bool)>,
    /// Connections whose poll can be answered.
    pub awake: Vec<usize>,
    /// What was said in responses.
    pub new: Count,
}

impl Pollings {
    /// Opens a session.
    pub fn open(&mut self, terms: &Terms) -> Key {
        let index = self.free.pop().unwrap_or_else(|| {
            self.sessions.push(None);
            self.sessions.len() - 1
        });
        self.serial = self.serial.wrapping_add(1);
        let serial = self.serial;
        let sid = format!("{index:x}-{}", random_name());
        let polled = Box::new(Polled::open(sid.clone(), terms));
        self.sessions[index] = Some((sid, serial, polled));
        let key = Key { index, serial };
        self.opened.push(key);
        key
    }

    /// The session of this name.
    pub fn find(&self, sid: &str) -> Option<Key> {
        let (index, _) = sid.split_once('-')?;
        let index = usize::from_str_radix(index, 16).ok()?;
        let (name, serial, _) = self.sessions.get(index)?.as_ref()?;
        (name == sid).then_some(Key {
            index,
            serial: *serial,
        })
    }

    /// A session, if it is not over.
    pub fn get(&mut self, key: Key) -> Option<&mut Polled> {
        match self.sessions.get_mut(key.index)? {
            Some((_, serial, polled)) if *serial == key.serial => Some(polled),
            _ => None,
        }
    }

    /// Takes a session that is over out of the others.
    pub fn remove(&mut self, key: Key) -> Option<Polled> {
        self.get(key)?;
        let (_, _, polled) = self.sessions[key.index].take()?;
        self.free.push(key.index);
        Some(*polled)
    }

    /// Whether there is anything for the thread to look at.
    pub fn has_news(&self) -> bool {
        !(self.opened.is_empty()
            && self.asked.is_empty()
            && self.over.is_empty()
            && self.awake.is_empty()
            && self.new.messages == 0)
    }

    /// Sees to it that a poll is answered if there is something to say to it.
    pub fn awaken(&mut self, key: Key) {
        let connection = self.get(key).and_then(|polled| polled.to_be_answered());
        self.awake.extend(connection);
    }
}
