"""What perf prints, and that a program beside it is the one that was started."""

import os
import subprocess

from autostrada.machine.perf import (
    CompiledNames,
    parse_counts,
    parse_samples,
    with_perf,
)

SCRIPT = """\
 1234
    7f1 parse+0x1c
    7f0 read
    400 main

 1234
    ffffffff81 [unknown]
    400 main

 1235
    7f1 [unknown]
    7f0 JS:*read /srv/ws/receiver.js:9:2
    400 main

"""
COUNTS = """\
# started on Mon Nov 30 2026

1250.5,msec,task-clock,1250500000,100.00,0.2,CPUs utilized
5002,,raw_syscalls:sys_enter:u,1250500000,100.00,4.0,K/sec
<not counted>,,syscalls:sys_enter_read,0,0.00,,
"""


def test_stacks_are_counted_and_names_of_compiled_functions_read(tmp_path):
    names = tmp_path / "perf-1235.map"
    names.write_text(
        "7f1 10 JS:~parse /srv/contestants/js-ws-after/receiver.js:1:2\n7e0 8 other\n"
    )
    samples = parse_samples(SCRIPT, CompiledNames(tmp_path))
    assert samples == {
        ("main", "read", "parse"): 1,
        ("main", "[unknown]"): 1,
        ("main", "read /srv/ws/receiver.js:9:2", "parse receiver.js:1:2"): 1,
    }
    assert not names.exists()


def test_events_that_were_not_counted_are_left_out():
    counts = parse_counts(COUNTS)
    assert counts == {"task-clock": 1250.5, "raw_syscalls:sys_enter": 5002}


def test_a_program_keeps_its_process_and_arguments_beside_perf(tmp_path, monkeypatch):
    (tmp_path / "perf").write_text(f"#!/bin/sh\necho header > {tmp_path}/side.data\n")
    (tmp_path / "perf").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    program = ("sh", "-c", 'echo $$ "$1"', "sh", "a 'b'")
    command = with_perf(program, "go", tmp_path / "side", 1.0)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:
        printed, _ = started.communicate()
    assert printed == f"{started.pid} a 'b'\n"
