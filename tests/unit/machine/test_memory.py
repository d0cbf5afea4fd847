"""Memory of processes with a known amount of it."""

import os
import time

from tests.unit.programs import python

from autostrada.machine.memory import (
    available_bytes,
    cpu_ns,
    descendants_of,
    resident_bytes,
)

MIB = 1024 * 1024
HOLDS = "held = bytearray(b'x' * {size}); print(flush=True); input()"
PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
child.wait()
"""
UNUSED_ID = 2**22 + 1
"""A PID above the kernel's maximum (proc_sys_kernel(5))."""


def test_used_memory_is_resident(deadline_s):
    with python(HOLDS.format(size=64 * MIB)) as process:
        process.read_line(deadline_s)
        assert 64 * MIB < resident_bytes([process.pid]) < 128 * MIB


def test_the_cpu_time_of_a_process_is_that_of_all_its_threads():
    before_ns = time.process_time_ns()
    assert before_ns <= cpu_ns([os.getpid()]) <= time.process_time_ns()


def test_an_ended_process_has_no_memory():
    assert resident_bytes([UNUSED_ID]) == 0
    assert descendants_of(UNUSED_ID) == {UNUSED_ID}


def test_children_belong_to_a_process(deadline_s):
    with python(PARENT, HOLDS.format(size=1)) as process:
        process.read_line(deadline_s)
        family = descendants_of(process.pid)
        assert process.pid in family
        assert len(family) == 2


def test_a_measured_process_includes_its_childrens_memory(deadline_s):
    code = HOLDS.format(size=64 * MIB)
    with python(PARENT, code, is_measured=True) as process:
        process.read_line(deadline_s)
        assert process.resident_bytes() > 64 * MIB


def test_available_memory_is_less_than_total_memory():
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < available_bytes() <= total
