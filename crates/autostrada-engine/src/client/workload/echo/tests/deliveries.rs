//! Tests of `deliveries.rs`.

use super::*;

/// A thread that has all of `connections`, on which message 0 to `messages` are sent in turn;
/// `receives` tells which connection receives which.
fn delivered(
    connections: usize,
    messages: u64,
    receives: impl Fn(usize, u64) -> bool,
) -> Deliveries {
    let mut deliveries = Deliveries::new(connections, true, None);
    (0..connections).for_each(|_| deliveries.note_opened());
    for instant in 0..messages {
        let sender = usize::try_from(instant).unwrap() % connections;
        deliveries.record_sent(sender, instant);
        for connection in (0..connections).filter(|at| receives(*at, instant)) {
            let age_ns = 100 * (connection as u64 + 1);
            deliveries.record_received(connection, instant, age_ns, connection != 2);
        }
    }
    deliveries
}

fn row(deliveries: &Deliveries) -> DeliveriesRow {
    deliveries.row(0).unwrap()
}

#[test]
fn what_a_connection_does_not_receive_is_lost() {
    let deliveries = delivered(4, 20, |connection, instant| {
        connection != 3 || instant % 5 != 0
    });
    let row = row(&deliveries);
    assert_eq!((row.messages, row.receivers), (20, Some(4)));
    assert_eq!((row.due, row.lost), (Some(80), Some(4)));
    assert_eq!(row.achieved_share, Some(56.0 / 80.0));
    let most = LostRow {
        connection: 3,
        lost: 4,
    };
    assert_eq!(row.most_lost, Some(most));
    assert_eq!(row.last_receiver_time_ns, [(400, 16)]);
    assert!(deliveries.are_awaited());
}

#[test]
fn senders_may_not_receive_their_own_messages() {
    let is_other = |connection, instant: u64| instant % 4 != connection as u64;
    let deliveries = delivered(4, 20, is_other);
    let row = row(&deliveries);
    assert_eq!(
        (row.receivers, row.due, row.lost),
        (Some(3), Some(60), Some(0))
    );
    assert_eq!(row.most_lost, None);
    assert!(!deliveries.are_awaited());
}

#[test]
fn without_a_message_that_reached_all_the_plan_says_for_how_many_they_are() {
    let mut deliveries = delivered(4, 20, |connection, _| connection < 2);
    let unknown = row(&deliveries);
    assert_eq!((unknown.receivers, unknown.receivers_max), (None, 2));
    assert_eq!((unknown.due, unknown.lost), (None, None));
    deliveries.receivers = Some(2);
    let rooms = row(&deliveries);
    assert_eq!((rooms.due, rooms.lost), (Some(40), Some(0)));
    assert!(!deliveries.are_awaited());
    deliveries.receivers = Some(3);
    assert!(deliveries.are_awaited());
}

#[test]
fn messages_of_others_are_not_counted_and_those_not_sent_are_not_achieved() {
    let mut deliveries = delivered(2, 10, |_, _| true);
    deliveries.record_received(0, 1_000, 5, true);
    let row = deliveries.row(10).unwrap();
    assert_eq!((row.messages, row.due), (10, Some(20)));
    assert_eq!(row.achieved_share, Some(0.5));
    let none = Deliveries::new(2, true, None);
    assert!(none.row(10).is_none());
}

#[test]
fn threads_add_their_deliveries_of_the_same_messages() {
    let [mut ours, mut theirs] = [(); 2].map(|()| Deliveries::new(1, false, None));
    let messages = 2 * REMEMBERED_MAX as u64;
    for thread in [&mut ours, &mut theirs] {
        thread.note_opened();
    }
    for instant in 0..messages {
        ours.record_sent(0, instant);
        ours.record_received(0, instant, 7, true);
    }
    for instant in (0..messages).filter(|instant| instant % 2 == 0) {
        theirs.record_received(0, instant, 9, true);
    }
    ours.merge(&theirs);
    let row = row(&ours);
    assert!(row.every > 1 && row.messages < messages, "{}", row.every);
    assert_eq!(row.due, Some(2 * row.messages));
    let received = row.last_receiver_time_ns.iter().map(|(_, count)| count);
    assert_eq!(row.lost, Some(row.messages - received.sum::<u64>()));
    assert!(row.lost.unwrap() > 0);
}
