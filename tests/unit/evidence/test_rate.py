"""The cold start of a push, from the client's answers to pings."""

import pytest
from tests.unit.workloads.made_up import SERVED, values

from autostrada.engine.messages import Mark, ServeResult
from autostrada.evidence.rate import ping_positions, progress, push_rate
from autostrada.store.record import MarkRow

MS = 1_000_000
FIRST_NS = 5_000 * MS
DURATION_MS = 4_000


def processed(at_ms):
    """Return the messages processed: 100 a millisecond, and 500 after 1 s."""
    return 100 * min(at_ms, 1_000) + 500 * max(0, at_ms - 1_000)


MESSAGES = processed(DURATION_MS)


def served(marks, *, messages=MESSAGES, closed_ms=DURATION_MS, pings=200):
    """Return a result with pongs, given as milliseconds and numbers of messages."""
    return ServeResult(
        **SERVED
        | {
            "messages": messages,
            "first_sent_ns": FIRST_NS,
            "last_sent_ns": FIRST_NS,
            "closed_ns": FIRST_NS + round(closed_ms * MS),
            "pings": pings,
            "marks": tuple(
                Mark(messages=done, answered_ns=FIRST_NS + round(at_ms * MS))
                for at_ms, done in marks
            ),
            "round_trip_ns": 20_000,
        }
    )


STEPS = served([(at_ms, processed(at_ms)) for at_ms in range(20, DURATION_MS + 1, 20)])


def rate(result, *, ended_ms=DURATION_MS):
    return push_rate(result, client_ended_ns=FIRST_NS + round(ended_ms * MS))


def mark(at_ms, done):
    return MarkRow(since_start_ns=at_ms * MS, messages=done)


def test_progress_is_known_at_the_start_and_at_each_pong():
    points = progress(STEPS)
    assert points[:2] == [mark(0, 0), mark(20, 2_000)]
    assert points[-1] == mark(DURATION_MS, MESSAGES)


def test_the_closing_frame_stands_for_a_missing_last_pong():
    points = progress(served([(10, 50)], messages=100, closed_ms=30))
    assert points == [mark(0, 0), mark(10, 50), mark(30, 100)]


def test_a_client_that_closes_late_has_ended_at_the_pong_before_the_last_message():
    result = served([(10, 50), (20, 99)], messages=100, closed_ms=120)
    assert progress(result)[-1] == mark(20, 99)


def test_the_cold_start_ends_with_the_pong_after_its_messages():
    found = rate(STEPS)
    assert found.obstacle == ""
    assert values(found.metrics) == {
        "ms_per_100k": pytest.approx(1_000),
        "ms_per_million": pytest.approx(2_800),
        "read_ahead_messages": 0,
        "round_trip_us": 20,
    }


def test_a_cold_time_needs_a_pong_after_exactly_these_messages():
    without = tuple(mark for mark in STEPS.marks if mark.messages != 100_000)
    metrics = values(rate(STEPS.model_copy(update={"marks": without})).metrics)
    assert "ms_per_100k" not in metrics
    assert metrics["ms_per_million"] == pytest.approx(2_800)


def test_a_push_that_the_client_closes_has_the_pong_before_its_last_message():
    marks = [(at_ms, 1_000 * at_ms) for at_ms in range(5, 96, 5)]
    result = served([*marks, (99.9, 99_999)], messages=100_000, closed_ms=200)
    metrics = values(rate(result, ended_ms=100).metrics)
    assert metrics["ms_per_100k"] == pytest.approx(99.9)
    unanswered = served(marks, messages=100_000, closed_ms=101)
    metrics = values(rate(unanswered, ended_ms=100).metrics)
    assert metrics["ms_per_100k"] == pytest.approx(101)


def test_messages_that_were_parsed_ahead_of_the_program_are_counted():
    # At the mean rate of the push, 16,000 messages take 40 ms.
    metrics = values(rate(STEPS, ended_ms=DURATION_MS + 40).metrics)
    assert metrics["read_ahead_messages"] == pytest.approx(16_000)


@pytest.mark.parametrize(
    ("result", "ended_ms", "obstacle"),
    [
        (served([]), DURATION_MS, "the client answered none of 200 pings"),
        (
            STEPS.model_copy(update={"pings_unanswered": 2}),
            DURATION_MS,
            "the client did not answer its last 2 pings",
        ),
        (
            STEPS,
            DURATION_MS - 100,
            "the client answered its last ping 100.0 ms after it had received its last "
            "message",
        ),
        (
            STEPS,
            DURATION_MS + 200,
            "the client answered its last ping 118.1 ms before its program received "
            "the last message, messages that it read ahead apart",
        ),
    ],
    ids=["none", "left out", "late", "ahead of the program"],
)
def test_pongs_that_contradict_the_client_give_no_metric(result, ended_ms, obstacle):
    found = rate(result, ended_ms=ended_ms)
    assert (found.metrics, found.obstacle) == ((), obstacle)


@pytest.mark.parametrize(
    ("late_ms", "known"),
    [(19, {"ms_per_100k", "ms_per_million"}), (21, {"ms_per_million"}), (57, set())],
)
def test_pongs_may_be_late_by_a_fiftieth_of_a_cold_time(late_ms, known):
    found = rate(STEPS, ended_ms=DURATION_MS - late_ms)
    assert {name for name in values(found.metrics) if name.startswith("ms_")} == known
    assert ("no cold time" in found.obstacle) == (len(known) < 2)


def test_pings_stand_after_each_twentieth_and_after_the_cold_messages():
    assert ping_positions(1_000_000, server_closes=True) == [
        50_000 * part for part in range(1, 21)
    ]
    assert ping_positions(100_000, server_closes=True) == [
        *(5_000 * part for part in range(1, 21)),
        1_000_000,
    ]


def test_the_last_ping_of_a_push_that_the_client_closes_precedes_its_last_message():
    assert ping_positions(100_000, server_closes=False)[-2:] == [95_000, 99_999]
    assert ping_positions(3, server_closes=False) == [1, 2]
    assert ping_positions(1, server_closes=False) == []
