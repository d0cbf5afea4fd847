"""Echo in a closed loop, with servers of other libraries that send messages back."""

import pytest
from peers.engine import count, load

TEXT = "grüezi"


@pytest.mark.parametrize("window", [1, 8])
def test_a_closed_loop_is_answered(echo_url, window):
    workload = {"kind": "echo", "window": window, "payload": {"text": TEXT}}
    phases = {"phases": {"window_s": 0.3}}
    result = load(url=echo_url, workload=workload | phases, connections=4)
    assert (result["ended"], result["wrong"]) == ("complete", 0)
    assert (result["connections"], result["failures"]) == (4, [])
    exchanged = result["exchange"]
    assert result["messages"] == exchanged["echoed"]
    assert result["bytes"] == result["messages"] * len(TEXT.encode())
    assert exchanged["echoed"] == exchanged["sent"] >= 4 * window
    assert exchanged["unsent"] == 0
    assert exchanged["offered_rate_per_s"] is None
    assert count(exchanged["response_time_ns"]) == exchanged["echoed"]
    assert count(exchanged["service_time_ns"]) == exchanged["echoed"]
    assert exchanged["send_delay_ns"] == []
