"""When metrics are not trusted, and when noise excuses nothing."""

import pytest

from autostrada.calibration.disturbance import disturbance
from autostrada.stats.buckets import Buckets

MS = 1_000_000


LATE = {"send_delay_ns": Buckets(((7 * MS, 2), (1000, 98)))}
LEFT_OUT = {"unsent": 1, "overdue": 2}
DIFFERENT_CONTROLS = {
    "controls": [{"response_time_ns": Buckets(((each, 1),))} for each in (100, 90_000)]
}


@pytest.mark.parametrize(
    ("name", "metrics", "reason"),
    [
        ("delay-1ms", {}, None),
        ("delay-20ms", {"others_share": 0.5}, "others used 50% of the cores"),
        ("delay-20ms", {"steal_share": 0.02}, "2% of the time was stolen"),
        ("delay-20ms", {"waited_ns": 60 * MS}, "the server waited 60.0 ms for a core"),
        # Noise excuses no count.
        ("lose-echo", {"others_share": 0.5}, None),
        ("lose-echo", {"steal_share": 0.02}, None),
        ("lose-echo", {"waited_ns": 60 * MS}, None),
        # A case about single messages allows wakeups for each message.
        ("delay-20ms", {"waited_ns": 18 * MS}, None),
        ("stall-100ms", {"waited_ns": 17 * MS}, None),
        ("stall-100ms", {"waited_ns": 18 * MS}, "the server waited 18.0 ms for a core"),
        # A closed loop allows waits of less than half a stall.
        ("stall-closed", {"waited_ns": 39 * MS}, None),
        (
            "stall-closed",
            {"waited_ns": 41 * MS},
            "the server waited 41.0 ms for a core",
        ),
        # A feed allows no long waits.
        ("rate-1234", {"pressure_ns": 11 * MS}, None),
        ("burst-5", {"pressure_ns": 11 * MS}, "processes waited 11.0 ms for a core"),
    ],
)
def test_noise_disturbs_what_depends_on_time(
    case, case_run, noise, name, metrics, reason
):
    noises = [noise(), noise(**metrics)]
    assert disturbance(case(name), case_run(), noises) == reason


@pytest.mark.parametrize(
    ("name", "measured", "reason"),
    [
        ("delay-1ms", LATE, "2 messages were sent 1 ms late"),
        ("stall-100ms", LATE, "the client was 7.0 ms late"),
        ("pause-100ms", LATE | {"paused_ns": 3 * MS}, None),
        ("lose-echo", LEFT_OUT, "3 messages were not sent"),
        ("close-after-5", LEFT_OUT, None),
        ("delay-1ms", DIFFERENT_CONTROLS, "the controls differ by 90 µs"),
    ],
)
def test_a_late_client_and_controls_that_differ_are_not_trusted(
    case, case_run, name, measured, reason
):
    assert disturbance(case(name), case_run(**measured), []) == reason
