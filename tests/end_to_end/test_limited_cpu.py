"""The engine where a cgroup limits its CPU time: it sleeps instead of polling."""

import json
import os
import subprocess

import pytest
from peers.engine import serving
from tests.unit.obstacle import needs

from autostrada.engine.process import find_engine, load_arguments
from autostrada.machine.limited_cgroup import Limits, new_limited_cgroup

LIMITS = Limits(cpu_share_max=0.5)
BUSY_POLL_US = 1000
DELAY_MS = 0.3


needs_limits = needs(lambda: new_limited_cgroup(LIMITS))


@pytest.fixture
def delayed_url():
    """Return the address of an echo that is answered after a delay."""
    with serving(faults={"delay_ms": DELAY_MS}) as engine:
        yield f"{engine.url}/echo"


@needs_limits
@pytest.mark.skipif(
    len(os.sched_getaffinity(0)) == 1, reason="one core has no limit below one core"
)
def test_the_engine_sleeps_while_it_waits_for_an_answer(delayed_url):
    plan = {
        "format": 2,
        "url": delayed_url,
        "busy_poll_us": BUSY_POLL_US,
        "workload": {"kind": "echo", "phases": {"window_s": 0.5}},
    }
    with new_limited_cgroup(LIMITS) as made:
        made.limit_cpu_time()
        with made.joined():
            client = subprocess.Popen(
                load_arguments(find_engine()),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        client.stdin.write(json.dumps(plan) + "\n")
        client.stdin.close()
        *_, last = client.stdout
        _, status, used = os.wait4(client.pid, 0)
        client.stdout.close()
        client.returncode = os.waitstatus_to_exitcode(status)
    result = json.loads(last)
    assert result["failures"] == []
    # A thread that polls is never switched out voluntarily.
    assert used.ru_nvcsw >= result["exchange"]["echoed"] / 2 > 0
