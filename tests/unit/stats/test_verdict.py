"""Verdicts, at and around every threshold, and the CPU time of cores."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autostrada.stats.evidence import End, Evidence, Pacing, worked_ns
from autostrada.stats.verdict import Bottleneck, classify, classify_cell

BROKEN, MACHINE, LOAD_GENERATOR, SERVER_CPU, CLIENT_CPU, RECEIVE_WINDOW, *OTHERS = (
    Bottleneck
)
SEND_BUFFER, NETWORK, LOAD_SUSTAINED, ROUND_TRIP, SEND_RATE, UNCLEAR = OTHERS

ENGINE = End(is_engine=True, cpu_cores=0.2, utilization=0.2)
LIBRARY = End(is_engine=False, cpu_cores=0.3, utilization=0.3)
PUSH = Evidence(
    server=ENGINE, client=LIBRARY, sender="server", pacing=Pacing.CONTINUOUS
)
ECHO = Evidence(
    server=LIBRARY, client=ENGINE, sender="client", pacing=Pacing.CLOSED_LOOP
)
PAIR = replace(PUSH, server=LIBRARY)


def push(server=(), client=(), **settings):
    """Return the evidence of a push with some changes."""
    return replace(
        PUSH,
        server=replace(ENGINE, **dict(server)),
        client=replace(LIBRARY, **dict(client)),
        **settings,
    )


BUSY, BUSY_ENGINE = (replace(end, utilization=1.0) for end in (LIBRARY, ENGINE))


BEHIND = {"receive_queue_filled_share": 0.5}
"""A receiver that has not read, in most samples."""


def open_loop(achieved_share, **settings):
    return replace(
        ECHO, pacing=Pacing.OPEN_LOOP, achieved_share=achieved_share, **settings
    )


@pytest.mark.parametrize(
    ("evidence", "bottleneck"),
    [
        (push({"utilization": 0.90}, {"utilization": 1.0}), LOAD_GENERATOR),
        (push({"utilization": 0.89}, {"utilization": 0.90}), CLIENT_CPU),
        (push({"receive_window_limited_share": 0.50}), RECEIVE_WINDOW),
        (push({"receive_window_limited_share": 0.49}, blocked_share=0.9), UNCLEAR),
        (push({"receive_window_limited_share": 0.40}, blocked_share=0.90), SEND_BUFFER),
        (
            push(
                {"receive_window_limited_share": 0.0, "unsent_share": 0.5},
                blocked_share=0.90,
            ),
            NETWORK,
        ),
        (push(blocked_share=0.50), RECEIVE_WINDOW),
        (push({}, {"receive_queue_filled_share": 0.49}, blocked_share=0.9), UNCLEAR),
        (push({}, BEHIND, blocked_share=0.5), RECEIVE_WINDOW),
        (
            push(
                {"receive_window_limited_share": 0.3, "retransmitted_share": 0.1},
                {"receive_queue_filled_share": 0.6},
            ),
            UNCLEAR,
        ),
        (
            push(
                {
                    "send_queue_filled_share": 0.9,
                    "unsent_share": 0.0,
                    "receive_window_limited_share": 0.0,
                },
                {"receive_queue_filled_share": 0.6},
                blocked_share=0.0,
            ),
            SEND_RATE,
        ),
        (push({"unsent_share": 1.0}, BEHIND), RECEIVE_WINDOW),
        (push({"send_queue_filled_share": 0.1}, BEHIND), SEND_RATE),
        (
            replace(ECHO, server=replace(LIBRARY, receive_queue_filled_share=0.9)),
            ROUND_TRIP,
        ),
        (push({"send_buffer_limited_share": 0.50}), SEND_BUFFER),
        (push({"unsent_share": 0.50}), NETWORK),
        (push({"unsent_share": 0.5}, {"receive_queue_filled_share": 0.4}), NETWORK),
        # Unsent messages wait for the slower end.
        (push({"unsent_share": 0.5}, BEHIND), RECEIVE_WINDOW),
        (push({"unsent_share": 0.4}, BEHIND), UNCLEAR),
        (
            push({"unsent_share": 0.5, "receive_window_limited_share": 0.4}, BEHIND),
            UNCLEAR,
        ),
        # Requests that wait for their turn do not indicate a slow receiver.
        (
            replace(
                ECHO,
                client=replace(ENGINE, unsent_share=0.5),
                server=replace(LIBRARY, **BEHIND),
            ),
            NETWORK,
        ),
        (push({"retransmitted_share": 0.01}), NETWORK),
        (push({"retransmitted_share": 0.009}), UNCLEAR),
        (push({"send_queue_filled_share": 0.50}), SEND_RATE),
        (push({"send_queue_filled_share": 0.51}), UNCLEAR),
        (PUSH, UNCLEAR),
        (ECHO, ROUND_TRIP),
        (open_loop(0.99), LOAD_SUSTAINED),
        (open_loop(0.98), UNCLEAR),
        (open_loop(0.99, client=BUSY_ENGINE), LOAD_SUSTAINED),
        (open_loop(0.99, client=BUSY_ENGINE, server=BUSY), SERVER_CPU),
        (open_loop(0.98, client=BUSY_ENGINE), LOAD_GENERATOR),
        (open_loop(0.98, engine_limit="late"), LOAD_GENERATOR),
        (replace(PAIR, server=replace(LIBRARY, utilization=0.95)), SERVER_CPU),
    ],
)
def test_the_bottleneck_follows_from_the_evidence(evidence, bottleneck):
    assert classify(evidence).bottleneck is bottleneck


def test_whether_a_contestant_found_room_is_unknown():
    waits = {
        "send_queue_filled_share": 1.0,
        "unsent_share": 0.0,
        "receive_window_limited_share": 0.0,
    }
    engine = push(waits, blocked_share=0.0)
    assert classify(engine).bottleneck is SEND_RATE
    contestant = replace(engine, server=replace(LIBRARY, **waits), blocked_share=None)
    assert classify(contestant).bottleneck is UNCLEAR
    idle = replace(contestant.server, send_queue_filled_share=0.5)
    assert classify(replace(contestant, server=idle)).bottleneck is SEND_RATE


def test_an_unobserved_end_may_have_been_the_bottleneck():
    unobserved = {"cpu_cores": None, "utilization": None}
    evidence = replace(ECHO, server=replace(LIBRARY, **unobserved))
    judged = classify(evidence)
    assert judged.bottleneck is UNCLEAR
    assert judged.evidence.startswith("It is unknown how busy the server was; engine")
    busy = replace(evidence, client=replace(LIBRARY, utilization=1.0))
    assert classify(busy).bottleneck is UNCLEAR
    late = replace(evidence, client=replace(ENGINE, utilization=0.9))
    assert classify(late).bottleneck is LOAD_GENERATOR
    done = replace(evidence, pacing=Pacing.OPEN_LOOP, achieved_share=1.0)
    assert classify(done).bottleneck is LOAD_SUSTAINED
    assert classify_cell([evidence, ECHO, evidence]).bottleneck is UNCLEAR


LATE = replace(
    ECHO,
    server=replace(LIBRARY, cpu_cores=0.90, utilization=0.90),
    client=replace(ENGINE, utilization=0.89),
    pacing=Pacing.OPEN_LOOP,
    achieved_share=0.98,
    sent_share=0.99,
    engine_limit="one message in a hundred was sent late",
)
"""An engine that sent everything, but late, to a server without idle time."""


def late_to(**server):
    return replace(LATE, server=replace(LATE.server, **server))


@pytest.mark.parametrize(
    ("evidence", "bottleneck"),
    [
        (LATE, SERVER_CPU),
        (replace(LATE, sent_share=0.98), LOAD_GENERATOR),
        (replace(LATE, sent_share=None), LOAD_GENERATOR),
        # Answered messages were sent.
        (replace(LATE, achieved_share=0.99, sent_share=None), SERVER_CPU),
        (replace(LATE, achieved_share=0.99, server=LIBRARY), LOAD_SUSTAINED),
        (replace(LATE, client=replace(ENGINE, utilization=0.90)), LOAD_GENERATOR),
        (late_to(utilization=0.89), LOAD_GENERATOR),
        # The engine may use the same core.
        (late_to(cpu_cores=0.89), LOAD_GENERATOR),
        (late_to(cpu_cores=None), LOAD_GENERATOR),
        # A limit of CPU time below one core is used up earlier.
        (late_to(cpu_cores=0.81, cpu_limit_cores=0.9), SERVER_CPU),
        (late_to(cpu_cores=0.80, cpu_limit_cores=0.9), LOAD_GENERATOR),
        (late_to(cpu_cores=0.89, cpu_limit_cores=2), LOAD_GENERATOR),
    ],
)
def test_a_late_engine_does_not_limit_an_end_that_answered_all_or_was_busy(
    evidence, bottleneck
):
    verdict = classify(evidence)
    assert verdict.bottleneck is bottleneck
    assert verdict.is_late
    assert verdict.evidence.startswith("Load generator: one message in a")


def test_one_late_trial_makes_a_cell_late():
    in_time = replace(LATE, engine_limit="")
    assert classify_cell([in_time, LATE, in_time]).is_late
    assert not classify_cell([in_time, in_time]).is_late


def test_the_busier_of_two_busy_contestants_is_the_bottleneck():
    server, client = (replace(LIBRARY, utilization=share) for share in (0.98, 0.93))
    assert (
        classify(replace(PAIR, server=server, client=client)).bottleneck is SERVER_CPU
    )
    assert (
        classify(replace(PAIR, server=client, client=server)).bottleneck is CLIENT_CPU
    )


@pytest.mark.parametrize(
    ("sender", "bottleneck"), [("server", CLIENT_CPU), ("client", SERVER_CPU)]
)
def test_of_two_busy_contestants_a_receiver_that_is_behind_is_the_bottleneck(
    sender, bottleneck
):
    busy = replace(LIBRARY, utilization=0.95, receive_queue_filled_share=0.5)
    busier = replace(LIBRARY, utilization=1.0, receive_queue_filled_share=0.4)
    ends = {"server": busier, "client": busy}
    if sender == "client":
        ends = {"server": busy, "client": busier}
    pair = replace(PAIR, sender=sender, **ends)
    assert classify(pair).bottleneck is bottleneck
    in_time = {"receive_queue_filled_share": 0.49}
    receiver = "client" if sender == "server" else "server"
    pair = replace(pair, **{receiver: replace(busy, **in_time)})
    assert classify(pair).bottleneck is not bottleneck


def test_failures_precede_disturbances_which_precede_all_else():
    evidence = push({"utilization": 1.0}, disturbance="others used 40% of core 1")
    verdict = classify(evidence)
    assert verdict.bottleneck is MACHINE
    assert verdict.evidence.startswith(
        "Others used 40% of core 1; engine (server) busy"
    )
    verdict = classify(replace(evidence, faults="3 messages were lost"))
    assert (verdict.bottleneck, verdict.evidence) == (BROKEN, "3 messages were lost.")
    assert verdict.head_room is None


def test_only_an_engine_as_the_bottleneck_makes_a_lower_bound():
    assert classify(push({"utilization": 0.95})).is_lower_bound
    assert not classify(push({"utilization": 0.7}, {"utilization": 1.0})).is_lower_bound


def test_the_evidence_is_a_sentence_without_unknown_values():
    assert classify(push({"utilization": 0.234}, {"utilization": 0.99})).evidence == (
        "Engine (server) busy 23% of the time; client at 99% of its cores; "
        "sockets of the client and the server not sampled."
    )
    known = push(
        {"send_queue_filled_share": 0.8, "receive_window_limited_share": 0.7},
        {"receive_queue_filled_share": 0.9},
        blocked_share=0.6,
    )
    assert classify(known).evidence == (
        "Engine (server) busy 20% of the time; client at 30% of its cores; "
        "client's Recv-Q filled 90%; server's Send-Q filled 80%; "
        "server waiting for the client's window 70% of the time."
    )
    untold = push(blocked_share=0.6)
    assert classify(untold).evidence.endswith(
        "server without room to send 60% of the time."
    )


def test_the_head_room_is_what_the_next_bottleneck_would_allow():
    verdict = classify(push({"utilization": 0.4}, {"utilization": 0.99}))
    assert verdict.head_room
    assert verdict.head_room.bottleneck is LOAD_GENERATOR
    assert verdict.head_room.factor == pytest.approx(2.5)
    idle = classify(push({"utilization": 0.0}, {"utilization": 0.99}))
    assert idle.head_room is None


def test_most_trials_decide_and_the_others_are_mentioned():
    fast, slow = push(client={"utilization": 0.95}), push(client={"utilization": 0.97})
    verdict = classify_cell([slow, PUSH, fast])
    assert verdict.bottleneck is CLIENT_CPU
    assert verdict.agreement_share == pytest.approx(2 / 3)
    assert "97%" in verdict.evidence


SHARES = st.one_of(st.none(), st.floats(0, 1))
ENDS = st.builds(
    End,
    is_engine=st.booleans(),
    cpu_cores=st.one_of(st.none(), st.floats(0, 64)),
    utilization=st.one_of(st.none(), st.floats(0, 1.1)),
    receive_queue_filled_share=SHARES,
    send_queue_filled_share=SHARES,
    unsent_share=SHARES,
    receive_window_limited_share=SHARES,
    send_buffer_limited_share=SHARES,
    retransmitted_share=SHARES,
)


def test_with_the_engine_at_both_ends_no_contestant_is_blamed():
    evidence = push({"receive_window_limited_share": 0.49}, blocked_share=0.9)
    assert classify(evidence).bottleneck is UNCLEAR
    itself = replace(evidence, client=replace(ENGINE, utilization=0.5))
    assert classify(itself).bottleneck is LOAD_GENERATOR


@given(
    st.builds(
        Evidence,
        server=ENDS,
        client=ENDS,
        sender=st.sampled_from(["client", "server"]),
        pacing=st.sampled_from(Pacing),
        blocked_share=SHARES,
        achieved_share=SHARES,
    )
)
def test_any_evidence_has_one_verdict_with_a_sentence(evidence):
    verdict = classify(evidence)
    assert verdict.evidence.endswith(".")
    assert verdict.bottleneck not in {BROKEN, MACHINE}
    assert verdict.head_room is None or verdict.head_room.factor >= 1


@pytest.mark.parametrize(
    ("busy_ns", "idle_ns", "steal_ns", "expected_ns"),
    [
        (40, 60, 0, 40),
        (100, 90, 0, 10),  # every tick hits a busy moment of a mostly idle core
        (30, 60, 0, 30),  # uncounted work, or steal that is not reported
        (100, 60, 30, 10),
        (0, 110, 0, 0),  # in ticks, idle time may exceed the elapsed time
    ],
)
def test_the_smaller_value_is_used(busy_ns, idle_ns, steal_ns, expected_ns):
    found = worked_ns(span_ns=100, busy_ns=busy_ns, idle_ns=idle_ns, steal_ns=steal_ns)
    assert found == expected_ns
