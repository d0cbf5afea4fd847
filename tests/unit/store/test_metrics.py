"""The metrics that the store computes of a trial."""

from dataclasses import replace

import pytest
from tests.unit.blank import process_sample

from autostrada.store.metrics import derived_metrics
from autostrada.store.reader import StoreReader
from autostrada.store.record import Observation, SecondRow


def sample(at_ns, user_ticks, system_ticks):
    modes = {"user_ns": user_ticks * 10_000_000, "system_ns": system_ticks * 10_000_000}
    return process_sample("client", at_ns, 1, cpu_ns=at_ns, **modes)


@pytest.fixture
def derived(written):
    """Return a function: the metrics that the store computes of a trial, by name."""

    def compute(trial):
        with StoreReader.open(written(trial)) as reader:
            return {each.metric: each.value for each in derived_metrics(reader, 1, {})}

    return compute


@pytest.mark.parametrize(
    ("ticks", "user_share"), [((7, 3), 0.7), ((6, 3), None), ((0, 0), None)]
)
def test_the_share_of_user_time_requires_at_least_ten_ticks(
    derived, trial, ticks, user_share
):
    last_ns = trial().outcome.duration_ns
    samples = (sample(0, 5, 5), sample(last_ns, *(5 + each for each in ticks)))
    found = derived(trial(observation=Observation(process_samples=samples)))
    whole_us = found["client_cpu_us_per_message"]
    user_us = found.get("client_cpu_user_us_per_message")
    system_us = found.get("client_cpu_system_us_per_message")
    if user_share is None:
        assert user_us is None
        assert system_us is None
    else:
        assert user_us == pytest.approx(user_share * whole_us)
        assert system_us == pytest.approx((1 - user_share) * whole_us)


def test_user_time_counts_from_the_last_sample_before_the_first_byte(derived, trial):
    last_ns = trial().outcome.duration_ns
    samples = (sample(-2, 0, 90), sample(-1, 5, 90), sample(last_ns, 15, 100))
    found = derived(trial(observation=Observation(process_samples=samples)))
    whole_us = found["client_cpu_us_per_message"]
    assert found["client_cpu_user_us_per_message"] == pytest.approx(whole_us / 2)


def test_messages_of_the_engine_beside_a_contestant_cost_the_contestant_nothing(
    derived, trial
):
    whole = trial().outcome
    beside = SecondRow(process="reference", second=0, messages=40, bytes=440)
    found = derived(trial(outcome=replace(whole, seconds=(*whole.seconds, beside))))
    # 4 and 1 µs of CPU time: for 60 and for all of the 100 messages.
    assert found["client_cpu_us_per_message"] == pytest.approx(4 / 60)
    assert found["server_cpu_us_per_message"] == pytest.approx(1 / 100)
