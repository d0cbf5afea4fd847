"""Whether a feed was held steadily, as a metric, if known."""

import pytest
from tests.unit.blank import process_sample
from tests.unit.workloads.made_up import (
    S,
    delivery,
    load_result,
    received,
    regularity,
)

from autostrada.store.record import Observation
from autostrada.workloads.feed import IS_STEADY, steadiness_input, steady_metrics

MIB = 1024**2
MS = 1_000_000
EVERY_MS = 100.0
DUE = 20
"""Messages due per connection, in the two seconds of a feed."""


def sample(second, resident_bytes, process="server"):
    return process_sample(process, second * S, resident_bytes=resident_bytes)


FLAT = Observation(
    process_samples=tuple(sample(each / 10, 300 * MIB) for each in range(-5, 25))
)


def client(messages=DUE, latency_ms=5, **more):
    given_regularity = regularity(judged=messages, on_time=messages, burst_max=1)
    return received(
        messages,
        sequence=None,
        latencies=((latency_ms * MS, messages),),
        load=load_result(regularity=given_regularity),
        **more,
    )


def feed(*clients, **more):
    values = {"feed": "clock", "every_ms": EVERY_MS, "sent": DUE * len(clients)}
    return delivery(*clients, **values | more)


def is_steady(delivery, observation=FLAT):
    (metric,) = steady_metrics(steadiness_input(delivery, observation))
    assert (metric.process, metric.metric) == ("server", IS_STEADY)
    return metric.value == 1


def test_messages_within_the_interval_are_steady():
    assert is_steady(feed(client(), client(latency_ms=99)))


def test_the_first_message_to_each_may_arrive_before_the_engine_counts():
    assert is_steady(feed(client(messages=DUE - 1), client()))


@pytest.mark.parametrize(
    "other",
    [
        {"latency_ms": 101},
        {"messages": DUE - 2},
    ],
    ids=str,
)
def test_one_unsteady_client_of_two_is_enough(other):
    assert not is_steady(feed(client(), client(**other)))


def test_late_messages_and_missing_ones_are_counted():
    # The first message of each may arrive before the engine counts.
    late = feed(client(), client(DUE - 3, latency_ms=101))
    share = (DUE - 3 + 2) / (2 * DUE - 2)
    assert steadiness_input(late, FLAT).late_share == pytest.approx(share)


def test_memory_of_the_server_is_sampled_only_during_the_feed():
    grown = [sample(each / 10, (300 + 50 * each) * MIB) for each in range(21)]
    assert not is_steady(feed(client()), Observation(process_samples=tuple(grown)))
    before = [sample(-9 + each / 10, 50 * each * MIB) for each in range(21)]
    clients = [sample(each / 10, 50 * each * MIB, "client") for each in range(21)]
    seen = (*before, *clients, *FLAT.process_samples)
    assert is_steady(feed(client()), Observation(process_samples=seen))


@pytest.mark.parametrize(
    "delivery",
    [
        feed(client(), every_ms=None),
        feed(received(DUE)),
        feed(client(), received(DUE)),
    ],
    ids=["continuous", "a contestant", "one of each"],
)
def test_it_is_known_only_for_the_engine_with_an_interval(delivery):
    is_known = steadiness_input(delivery, FLAT) is not None
    assert is_known == (delivery.every_ms is not None and len(delivery.clients) > 1)
