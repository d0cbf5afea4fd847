"""What the processes are given for a case."""

from autostrada.calibration.plans import arriving, load_plan, serve_plan

URL = "ws://127.0.0.1:8008"


def test_messages_are_stamped_so_that_each_answer_is_told_by_its_number(case):
    plan = load_plan(case("lose-echo"), URL)
    assert plan["url"] == f"{URL}/echo"
    assert plan["workload"]["kind"] == "echo"
    assert plan["workload"]["payload"]["stamped"] is True
    assert plan["workload"]["schedule"] == {"kind": "constant", "rate_per_s": 4000}


def test_without_a_rate_it_is_a_closed_loop(case):
    assert load_plan(case("stall-closed"), URL)["workload"]["kind"] == "echo"


def test_a_feed_is_received_to_the_last_message_that_arrives(case):
    plan = load_plan(case("lose-feed"), URL)
    assert plan["url"] == f"{URL}/feed"
    assert plan["workload"]["messages"] == 20_003 - 2857
    assert arriving(case("repeat-feed")) == 20_003 + 2857
    assert arriving(case("swap-feed")) == 20_003


def test_an_interval_is_named_to_both(case):
    burst = case("burst-5")
    assert serve_plan(burst)["feed"]["every_ms"] == 10
    assert load_plan(burst, URL)["workload"]["feed"]["every_ms"] == 10
    assert "every_ms" not in serve_plan(case("lose-feed"))["feed"]


def test_the_control_is_the_same_without_the_fault(case):
    delayed = serve_plan(case("delay-20ms"))
    assert delayed.pop("faults") == {"delay_ms": 20}
    assert serve_plan(case("delay-20ms"), is_healthy=True) == delayed
