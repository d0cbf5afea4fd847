"""Memory of processes that have a known amount of it."""

import os
import sys
from pathlib import Path

from autostrada.machine.memory import (
    available_bytes,
    descendants_of,
    resident_bytes,
)
from autostrada.machine.process import Command, Process

MIB = 1024 * 1024
HOLDS = "held = bytearray(b'x' * {size}); print(flush=True); input()"
PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
child.wait()
"""
NOBODY = 2**22 + 1
"""No process has such a number (proc_sys_kernel(5))."""


def python(*words, is_measured=False):
    command = Command(
        words=[sys.executable, "-c", *words], folder=Path(), is_measured=is_measured
    )
    return Process(command)


def test_what_a_process_holds_is_resident(deadline_s):
    with python(HOLDS.format(size=64 * MIB)) as process:
        process.read_line(deadline_s)
        assert 64 * MIB < resident_bytes([process.pid]) < 128 * MIB


def test_what_is_gone_has_nothing():
    assert resident_bytes([NOBODY]) == 0
    assert descendants_of(NOBODY) == {NOBODY}


def test_what_a_process_has_started_belongs_to_it(deadline_s):
    with python(PARENT, HOLDS.format(size=1)) as process:
        process.read_line(deadline_s)
        family = descendants_of(process.pid)
        assert process.pid in family
        assert len(family) == 2


def test_a_measured_process_has_its_childrens_memory_as_well(deadline_s):
    code = HOLDS.format(size=64 * MIB)
    with python(PARENT, code, is_measured=True) as process:
        process.read_line(deadline_s)
        assert process.resident_bytes() > 64 * MIB


def test_the_machine_has_less_available_than_it_has():
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < available_bytes() <= total
