"""Sent and received messages of a feed, from made-up reports."""

from dataclasses import replace

import pytest
from tests.unit.workloads.made_up import (
    NUMBERS,
    OPENED_NS,
    S,
    delivery,
    load_result,
    received,
    second,
    sent_by_server,
)

from autostrada.errors import ClosedEarly, Miscounted


def test_received_messages_are_added_up_and_compared_with_sent_ones():
    both = delivery(received(20), received(20, wrong=2), sent=40)
    both.check()
    assert (both.sent_messages, both.received_messages) == (40, 40)
    assert (both.dropped_messages, both.disconnected_clients) == (0, 0)
    assert both.wrong_messages == 2
    assert both.achieved_share is None


def test_receiving_more_than_was_sent_is_a_miscount():
    with pytest.raises(Miscounted, match="counted 21 messages; 20 were handed over"):
        delivery(received(21)).check()


def test_a_server_that_sends_nothing_has_failed():
    with pytest.raises(Miscounted, match="sent nothing") as caught:
        delivery(received(0), sent=0).check()
    assert caught.value.process == "server"


def test_a_server_that_does_not_accept_all_connections_has_failed():
    with pytest.raises(ClosedEarly, match="let 1 of 3 connections open") as caught:
        delivery(received(20), connections=3).check()
    assert caught.value.process == "server"


def test_the_window_begins_when_the_last_connection_is_open():
    late = received(20, ready_ns=OPENED_NS + S)
    assert delivery(received(20), late).start_ns == OPENED_NS + S


def test_messages_after_the_window_do_not_count_for_the_rate():
    slow = received(
        30,
        seconds=tuple(second(number, 5) for number in range(5)),
        ended_ns=OPENED_NS + 6 * S,
    )
    assert delivery(slow, sent=30).received_in_window == pytest.approx(10)
    early = received(0, ready_ns=OPENED_NS + S // 2)
    both = delivery(slow, early, sent=30)
    # Its window ends in the middle of a second, and nothing arrived before it began.
    assert both.received_in_window == pytest.approx(5 + 5 + 2.5)


def test_all_messages_of_a_short_feed_are_in_its_window():
    assert delivery(received(20)).received_in_window == pytest.approx(20)
    at_once = received(20, ended_ns=OPENED_NS)
    assert delivery(at_once).received_in_window == pytest.approx(20)


EARLY = {"ended_ns": OPENED_NS + S}
LACKS_3, LACKS_5 = (
    {"sequence": NUMBERS.model_copy(update={"missing": missing})} for missing in (3, 5)
)
BY_ENGINE, ENDED_ENGINE = {"load": load_result()}, {"load": load_result(0.5)}
CLOSED = {"seconds": (second(0, 30, closed=3), second(1, 30, closed=1))}


@pytest.mark.parametrize(
    ("made", "disconnected", "dropped"),
    [
        # A client with fewer messages than the others was disconnected.
        (delivery(received(20), received(7), received(20), sent=47), 1, 0),
        # Sent to a connection that has ended, and never received.
        (delivery(received(7), sent=20), 1, 13),
        # So was one that ends long before the feed.
        (delivery(received(7, connections=2, **EARLY), sent=7, connections=2), 2, 0),
        # Missing messages of a process are those of disconnected connections.
        (delivery(received(32, connections=4), sent=60, connections=4), 2, 28),
        # A worker is compared with its own clients only.
        (delivery(*map(received, (20, 5, 20, 5)), sent=[40, 10], workers=2), 0, 0),
        # Messages that are missing in between are no disconnection.
        (delivery(received(15, **LACKS_5), sent=20), 0, 5),
        # The engine counts once all are open, and misses nothing before.
        (delivery(received(18, **BY_ENGINE)), 0, 0),
        (delivery(received(5, **ENDED_ENGINE)), 1, 15),
        # An end in the last half second may be the end of the feed.
        (
            delivery(
                received(60, connections=4, **CLOSED, **BY_ENGINE),
                sent=80,
                connections=4,
            ),
            3,
            20,
        ),
        # A server that drops messages may drop the last ones.
        (delivery(received(10, **LACKS_3), sent=20, pace="dropping"), 0, 10),
        (delivery(received(10, **EARLY), pace="dropping"), 1, 10),
    ],
)
def test_missing_messages_are_of_disconnected_clients_or_dropped(
    made, disconnected, dropped
):
    assert (made.disconnected_clients, made.dropped_messages) == (disconnected, dropped)


def test_a_client_that_is_cut_off_was_not_disconnected():
    slow = received(7, connections=0, sequence=None, is_cut_off=True)
    unfinished = delivery(slow, sent=20)
    unfinished.check()
    assert (unfinished.disconnected_clients, unfinished.cut_off_clients) == (0, 1)
    assert unfinished.dropped_messages == 13
    by_engine = received(7, load=load_result(), is_cut_off=True)
    assert delivery(by_engine, sent=20).dropped_messages == 13


def test_the_share_of_due_messages_that_arrived_is_computed():
    half = delivery(received(10), sent=10, every_ms=100.0)
    assert (half.due_messages, half.achieved_share) == (20, 0.5)
    assert not half.is_continuous


@pytest.mark.parametrize(
    ("messages", "share"), [(60, 1.0), (57, 1.0), (54, 54 / 57), (0, 0.0)]
)
def test_the_first_message_is_not_due_to_the_engine_which_counts_later(messages, share):
    late = received(messages, connections=3, load=load_result())
    fed = delivery(late, sent=60, connections=3, every_ms=100.0)
    assert (fed.due_messages, fed.lacking_messages) == (57, max(0, 57 - messages))
    assert fed.achieved_share == pytest.approx(share)


def test_missing_messages_of_one_client_are_not_offset_by_another():
    first_too, lacking = (received(each, load=load_result()) for each in (20, 18))
    assert delivery(first_too, lacking, sent=40, every_ms=100.0).lacking_messages == 1


def test_a_feed_of_one_message_has_nothing_due_to_the_engine():
    once = delivery(received(1, load=load_result()), sent=1, every_ms=2000.0)
    assert (once.due_messages, once.achieved_share) == (0, None)


def test_with_very_many_connections_the_sent_messages_are_unknown():
    known = delivery(received(20))
    unknown = replace(known, servers=[replace(sent_by_server(15), is_whole=False)])
    unknown.check()
    assert unknown.sent_messages is None
    assert unknown.dropped_messages == 0


def test_latencies_of_all_clients_are_merged():
    both = delivery(
        received(20, latencies=((7, 1), (3, 2))),
        received(20, latencies=((7, 4),)),
        sent=40,
    )
    assert both.latencies() == [(3, 2), (7, 5)]


def test_beside_a_contestant_the_engine_is_not_measured():
    contestant, engine = received(12), received(20, load=load_result())
    both = delivery(contestant, engine, engine, sent=60)
    assert (both.measured_clients, both.references) == ([contestant], [engine, engine])
    assert both.received_messages == 52
    assert both.received_in_window == pytest.approx(52)
    assert both.measured_in_window == pytest.approx(12)
    alone = delivery(engine, engine, sent=40)
    assert (alone.measured_clients, alone.references) == ((engine, engine), [])


def test_what_a_measured_client_misses_is_a_share_of_what_was_handed_over_for_it():
    slow = received(12, connections=0, sequence=None, is_cut_off=True)
    # The engine counts late, and misses nothing that it does not report.
    engine = received(18, load=load_result())
    both = delivery(slow, engine, engine, sent=60, pace="unpaced")
    assert both.disconnected_clients == 0
    assert both.measured_dropped == (8, 0.4)
    assert both.dropped_messages == 8


def test_after_a_disconnection_losses_are_those_of_all_clients():
    ended = received(5, load=load_result(0.5))
    both = delivery(received(20), ended, sent=30)
    assert both.disconnected_clients == 1
    assert both.measured_dropped == (5, 5 / 30)
