"""Echo in a closed and an open loop, with servers that send messages back."""

import pytest
from peers.engine import count, failures, load

TEXT = "grüezi"


def exchange(url, workload, **settings):
    """Run a workload whose messages are all answered; return its result."""
    wanted = {"payload": {"text": TEXT}, "phases": {"window_s": 0.3}} | workload
    result = load(url=url, workload=wanted, **settings)
    assert result["failures"] == []
    assert (result["ended"], result["wrong"]) == ("complete", 0)
    return result


@pytest.mark.parametrize("window", [1, 8])
def test_a_closed_loop_is_answered(echo_url, window):
    result = exchange(echo_url, {"kind": "echo", "window": window}, connections=4)
    exchanged = result["exchange"]
    assert result["connections"] == 4
    assert exchanged["echoed"] == exchanged["sent"] >= 4 * window
    assert exchanged["unsent"] == 0
    assert exchanged["offered_rate_per_s"] is None
    assert count(exchanged["response_time_ns"]) == exchanged["echoed"]
    assert count(exchanged["service_time_ns"]) == exchanged["echoed"]
    assert exchanged["send_delay_ns"] == []


def test_a_closed_loop_counts_received_messages(echo_url):
    result = exchange(echo_url, {"kind": "echo"})
    assert result["messages"] == result["exchange"]["echoed"]
    assert result["bytes"] == result["messages"] * len(TEXT.encode())
    assert result["opened_ns"] < result["received_ns"]


def test_a_closed_loop_reports_the_rate_of_its_window(echo_url):
    result = exchange(echo_url, {"kind": "echo"})
    rate_per_s = result["exchange"]["completed"] / (result["window_ns"] / 1e9)
    assert result["exchange"]["achieved_rate_per_s"] == pytest.approx(rate_per_s)
    assert result["window_ns"] == pytest.approx(0.3e9, rel=0.01)


def test_the_window_begins_after_the_warm_up(echo_url):
    phases = {"warm_up_s": 0.2, "window_s": 0.2}
    result = exchange(echo_url, {"kind": "echo", "phases": phases})
    assert result["window_start_ns"] >= result["opened_ns"] + 200_000_000
    assert result["window_start_ns"] < result["received_ns"]


def test_a_warm_up_does_not_count(echo_url):
    phases = {"warm_up_s": 0.2, "window_s": 0.2}
    schedule = {"kind": "constant", "rate_per_s": 100}
    result = exchange(
        echo_url, {"kind": "echo", "schedule": schedule, "phases": phases}
    )
    assert result["exchange"]["sent"] == result["exchange"]["echoed"] == 20


@pytest.mark.parametrize(
    ("schedule", "planned"),
    [
        ({"kind": "constant", "rate_per_s": 200}, 100),
        ({"kind": "ramp", "from_per_s": 0, "to_per_s": 400, "over_s": 0.5}, 100),
        ({"kind": "poisson", "rate_per_s": 200, "seed": 1}, None),
    ],
    ids=["constant", "ramp", "poisson"],
)
def test_an_open_loop_sends_messages_when_due(echo_url, schedule, planned):
    workload = {"kind": "echo", "schedule": schedule, "phases": {"window_s": 0.5}}
    result = exchange(echo_url, workload, connections=3, threads=2)
    exchanged = result["exchange"]
    assert exchanged["unsent"] == 0
    assert exchanged["echoed"] == exchanged["sent"] > 0
    for name in ("send_delay_ns", "response_time_ns", "service_time_ns"):
        assert count(exchanged[name]) == exchanged["sent"], name
    assert exchanged["offered_rate_per_s"] == pytest.approx(200, rel=0.1)
    if planned:
        assert abs(exchanged["sent"] - planned) <= 1


def test_a_rate_may_be_per_connection(echo_url):
    schedule = {"kind": "constant", "rate_per_s": 100, "per": "connection"}
    workload = {"kind": "echo", "schedule": schedule, "phases": {"window_s": 0.5}}
    exchanged = exchange(echo_url, workload, connections=3)["exchange"]
    assert exchanged["offered_rate_per_s"] == pytest.approx(300)
    assert exchanged["echoed"] == exchanged["sent"] == 150


def test_messages_that_the_engine_cannot_send_are_its_own_limit(echo_url):
    schedule = {"kind": "constant", "rate_per_s": 20_000_000}
    workload = {
        "kind": "echo",
        "schedule": schedule,
        "phases": {"window_s": 0.2, "drain_s": 0},
    }
    result = load(url=echo_url, workload=workload)
    assert result["ended"] == "complete"
    assert result["generator_limited"] is not None
    assert result["exchange"]["overdue"] > 0
    assert result["exchange"]["unsent"] == 0
    assert failures(result).keys() <= {"timeout"}


def test_the_same_seed_gives_the_same_arrivals(echo_url):
    def sent(seed):
        schedule = {"kind": "poisson", "rate_per_s": 500, "seed": seed}
        workload = {"kind": "echo", "schedule": schedule, "phases": {"window_s": 0.2}}
        return exchange(echo_url, workload)["exchange"]["sent"]

    assert sent(1) == sent(1)


@pytest.mark.parametrize("threads", [1, 2])
def test_each_thread_reports_its_busy_share(echo_url, threads):
    result = exchange(echo_url, {"kind": "echo"}, connections=4, threads=threads)
    assert len(result["busy_shares"]) == threads
    assert all(share > 0 for share in result["busy_shares"])


def test_the_phases_of_opening_are_recorded_per_connection(echo_url):
    result = exchange(echo_url, {"kind": "echo"}, connections=5)
    for part in ("tcp", "upgrade", "response"):
        assert count(result[f"connect_{part}_time_ns"]) == 5, part
    assert result["connect_tls_time_ns"] == []
    assert result["connect_tls_resumed_time_ns"] == []
    assert result["tls"] is None
