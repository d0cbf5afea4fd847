//! Collects subscribers and starts a feed once all have joined: `docs/contract.md`, clauses 8.5 and
//! 8.8.

use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::feed::Payload;
use crate::feeding::Feed;
use crate::group::Group;
use crate::serving::FeedSettings;

/// Number of messages of a continuous feed that may wait for a subscriber.
const QUEUE_LENGTH: usize = 16;

/// The subscribers and their feed; serves one group of subscribers after the other.
///
/// A subscriber is any recipient of messages, for example the sending end of a queue. It is dropped
/// after the last message.
pub struct Subscribers<M> {
    settings: Option<FeedSettings>,
    group: Mutex<Arc<Group<M>>>,
}

/// The membership of one subscriber, which leaves when this is dropped.
pub struct Subscription<M> {
    group: Arc<Group<M>>,
    number: u64,
}

impl<M> Drop for Subscription<M> {
    fn drop(&mut self) {
        self.group.remove(self.number);
    }
}

impl<M: Clone> Subscribers<M> {
    #[must_use]
    pub fn new(settings: Option<FeedSettings>) -> Self {
        Self {
            settings,
            group: Mutex::default(),
        }
    }

    /// Returns how many messages may wait for a subscriber; `None`: any number, because the feed
    /// does not wait.
    #[must_use]
    pub fn queue_length(&self) -> Option<usize> {
        let is_continuous = self.settings.as_ref()?.every_ns.is_none();
        is_continuous.then_some(QUEUE_LENGTH)
    }

    /// Adds a subscriber. The last expected one receives the feed and must publish it.
    ///
    /// # Panics
    ///
    /// If there is no feed: the environment variable `FEED` is not set.
    #[must_use]
    pub fn join(&self, subscriber: M) -> (Subscription<M>, Option<Feed<M>>) {
        let settings = self.settings.as_ref();
        let settings = settings.expect("FEED is set where somebody asks for /feed");
        let mut group = self.group.lock().expect("nobody panics while holding it");
        if group.is_over() {
            *group = Arc::default();
        }
        let number = group.add(subscriber);
        let subscription = Subscription {
            group: Arc::clone(&group),
            number,
        };
        let begins = group.begins_with(settings.subscribers);
        let feed = begins.then(|| Feed::new(settings.clone(), Arc::clone(&group)));
        (subscription, feed)
    }
}

/// Subscribers that each have a thread, which sends to the connection.
///
/// `T` is the library's message type.
pub struct ThreadedSubscribers<T> {
    subscribers: Subscribers<Queue<T>>,
    to_message: fn(Payload) -> T,
}

impl<T: Clone + Send + 'static> ThreadedSubscribers<T> {
    #[must_use]
    pub fn new(settings: Option<FeedSettings>, to_message: fn(Payload) -> T) -> Self {
        Self {
            subscribers: Subscribers::new(settings),
            to_message,
        }
    }

    /// Joins and returns an iterator that yields each message when it is due, until the feed ends.
    #[must_use]
    pub fn messages(&self) -> Messages<T> {
        let (queue, waiting) = match self.subscribers.queue_length() {
            Some(length) => {
                let (queue, waiting) = mpsc::sync_channel(length);
                (Queue::Short(queue), waiting)
            }
            None => {
                let (queue, waiting) = mpsc::channel();
                (Queue::Long(queue), waiting)
            }
        };
        let (subscription, feed) = self.subscribers.join(queue);
        if let Some(feed) = feed {
            let to_message = self.to_message;
            thread::spawn(move || publish(feed, to_message));
        }
        Messages {
            waiting,
            _subscription: subscription,
        }
    }
}

fn publish<T: Clone>(mut feed: Feed<Queue<T>>, to_message: fn(Payload) -> T) {
    while let Some(payload) = feed.next() {
        let message = to_message(payload);
        for subscriber in feed.subscribed() {
            subscriber.put(message.clone());
        }
    }
}

/// The messages of one subscriber.
pub struct Messages<T> {
    // Dropped first, so that the feed does not wait for room in this queue.
    waiting: Receiver<T>,
    _subscription: Subscription<Queue<T>>,
}

impl<T> Iterator for Messages<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.waiting.recv().ok()
    }
}

/// Messages that wait for a subscriber.
enum Queue<T> {
    Short(SyncSender<T>),
    Long(Sender<T>),
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Short(queue) => Self::Short(queue.clone()),
            Self::Long(queue) => Self::Long(queue.clone()),
        }
    }
}

impl<T> Queue<T> {
    /// Adds a message as soon as there is room; does nothing if the subscriber has left.
    fn put(&self, message: T) {
        let _has_left = match self {
            Self::Short(queue) => queue.send(message).is_err(),
            Self::Long(queue) => queue.send(message).is_err(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::{Encoding, FeedFormat, Kind};

    fn settings(subscribers: u64, messages: u64) -> FeedSettings {
        FeedSettings {
            subscribers,
            messages: Some(messages),
            ..FeedSettings::new(FeedFormat::new(Kind::Sequence, Encoding::Json))
        }
    }

    fn text_of(payload: Payload) -> String {
        match payload {
            Payload::Text(text) => text,
            Payload::Binary(_) => panic!("it is JSON"),
        }
    }

    #[test]
    fn a_feed_starts_when_all_have_joined_also_for_the_next_group() {
        let subscribers = Subscribers::new(Some(settings(2, 1)));
        for _ in 0..2 {
            let (_first, nothing) = subscribers.join('a');
            assert!(nothing.is_none());
            let (_second, feed) = subscribers.join('b');
            let mut feed = feed.unwrap();
            assert_eq!(feed.subscribed(), ['a', 'b']);
            let (_late, nothing) = subscribers.join('c');
            assert!(nothing.is_none());
            assert_eq!(feed.subscribed(), ['a', 'b', 'c']);
            assert_eq!(feed.next(), Some(Payload::Text("0".to_owned())));
            assert_eq!(feed.next(), None);
            assert!(feed.subscribed().is_empty());
        }
    }

    #[test]
    fn a_connection_that_leaves_before_the_feed_is_not_a_subscriber() {
        let subscribers = Subscribers::new(Some(settings(2, 1)));
        drop(subscribers.join('a'));
        let (_stays, nothing) = subscribers.join('b');
        assert!(nothing.is_none());
        let (_last, feed) = subscribers.join('c');
        assert_eq!(feed.unwrap().subscribed(), ['b', 'c']);
    }

    #[test]
    fn queues_are_short_if_the_slowest_limits_the_send_rate() {
        let mut settings = settings(1, 1);
        assert_eq!(
            Subscribers::<()>::new(Some(settings.clone())).queue_length(),
            Some(16)
        );
        settings.every_ns = Some(1);
        assert_eq!(Subscribers::<()>::new(Some(settings)).queue_length(), None);
    }

    #[test]
    fn threads_receive_all_messages_and_a_gone_one_blocks_nobody() {
        for every_ns in [None, Some(1)] {
            let settings = FeedSettings {
                every_ns,
                ..settings(2, 1000)
            };
            let subscribers = ThreadedSubscribers::new(Some(settings), text_of);
            let mut leaves = subscribers.messages();
            let stays = subscribers.messages();
            assert_eq!(leaves.next().unwrap(), "0");
            drop(leaves);
            let expected: Vec<_> = (0..1000).map(|number| number.to_string()).collect();
            assert_eq!(stays.collect::<Vec<_>>(), expected);
        }
    }
}
