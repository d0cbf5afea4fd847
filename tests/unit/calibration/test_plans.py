"""Configurations of the processes of a case."""

from autostrada.calibration.plans import arriving, load_plan, serve_plan

URL = "ws://127.0.0.1:8008"


def test_messages_are_stamped_so_that_answers_are_identified_by_number(case):
    plan = load_plan(case("lose-echo"), URL)
    assert plan["url"] == f"{URL}/echo"
    assert plan["workload"]["kind"] == "echo"
    assert plan["workload"]["payload"]["stamped"] is True
    assert plan["workload"]["schedule"] == {"kind": "constant", "rate_per_s": 4000}


def test_without_a_rate_the_loop_is_closed(case):
    assert load_plan(case("stall-closed"), URL)["workload"]["kind"] == "echo"


def test_a_feed_is_received_up_to_the_last_arriving_message(case):
    plan = load_plan(case("lose-feed"), URL)
    assert plan["url"] == f"{URL}/feed"
    assert plan["workload"]["messages"] == 20_003 - 2857
    assert arriving(case("repeat-feed")) == 20_003 + 2857
    assert arriving(case("swap-feed")) == 20_003


def test_both_ends_receive_the_interval(case):
    burst = case("burst-5")
    assert serve_plan(burst)["feed"]["every_ms"] == 10
    assert load_plan(burst, URL)["workload"]["feed"]["every_ms"] == 10
    assert "every_ms" not in serve_plan(case("lose-feed"))["feed"]


def test_the_control_is_the_same_without_the_fault(case):
    delayed = serve_plan(case("delay-20ms"))
    assert delayed.pop("faults") == {"delay_ms": 20}
    assert serve_plan(case("delay-20ms"), is_healthy=True) == delayed
