"""What the processes are given for a weight."""

from autostrada.calibration.plans import arriving, load_plan, serve_plan

URL = "ws://127.0.0.1:8008"


def test_bots_are_stamped_so_that_each_answer_is_told_by_its_number(weight):
    plan = load_plan(weight("lose-echo"), URL)
    assert plan["url"] == f"{URL}/echo"
    assert plan["workload"]["kind"] == "bots"
    assert plan["workload"]["payload"]["stamped"] is True
    assert plan["workload"]["schedule"] == {"kind": "constant", "rate_per_s": 4000}


def test_without_a_rate_it_is_a_closed_loop(weight):
    assert load_plan(weight("stall-closed"), URL)["workload"]["kind"] == "echo"


def test_a_feed_is_received_to_the_last_message_that_arrives(weight):
    plan = load_plan(weight("lose-feed"), URL)
    assert plan["url"] == f"{URL}/feed"
    assert plan["workload"]["messages"] == 20_003 - 2857
    assert arriving(weight("repeat-feed")) == 20_003 + 2857
    assert arriving(weight("swap-feed")) == 20_003


def test_an_interval_is_named_to_both(weight):
    clump = weight("clump-5")
    assert serve_plan(clump)["feed"]["every_ms"] == 10
    assert load_plan(clump, URL)["workload"]["feed"]["every_ms"] == 10
    assert "every_ms" not in serve_plan(weight("lose-feed"))["feed"]


def test_the_control_is_the_same_without_the_fault(weight):
    delayed = serve_plan(weight("delay-20ms"))
    assert delayed.pop("faults") == {"delay_ms": 20}
    assert serve_plan(weight("delay-20ms"), is_healthy=True) == delayed
