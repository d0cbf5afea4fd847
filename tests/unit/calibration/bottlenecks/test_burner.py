"""The burner uses its core, and ends after the given time."""

import resource
import subprocess
import sys


def test_it_burns_for_the_given_time():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    module = "autostrada.calibration.bottlenecks.burner"
    subprocess.run([sys.executable, "-m", module, "0.2"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime > before.ru_utime + before.ru_stime
