"""Programs with a drawn layout have the same addresses; another draw has others."""

import random
import subprocess

import pytest

from autostrada.machine.layout import MemoryLayout, can_have_layouts


def mapped(layout):
    """Return where the libraries of a program are mapped, and its variables."""
    ran = subprocess.run(
        layout.command(["sh", "-c", "cat /proc/self/maps; env"]),
        env=layout.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = ran.stdout.splitlines()
    libraries = [line.split("-")[0] for line in lines if ".so" in line]
    return libraries, [line for line in lines if "SEED=" in line]


@pytest.mark.skipif(not can_have_layouts(), reason="setarch -R is not permitted here")
def test_a_layout_decides_the_addresses_and_the_seed_of_hashes():
    layouts = [MemoryLayout.drawn(random.Random(seed)) for seed in (1, 1, 2)]
    first, second, third = map(mapped, layouts)
    assert first == second
    assert first[0][0] != third[0][0]
    assert first[1][0] != third[1][0]
    assert len(first[1]) == 2
