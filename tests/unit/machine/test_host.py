"""Placement of the ends and the observer on cores."""

import os
import platform

import pytest

from autostrada.errors import UsageError
from autostrada.machine.host import Host, join, parse_cpus, this_host
from autostrada.machine.process import on_cpus

# The number of sched_setaffinity, and the kernel's code of the architecture.
SET_AFFINITY = {"x86_64": (203, 0xC000003E), "aarch64": (122, 0xC00000B7)}

# Makes the kernel answer sched_setaffinity with EPERM, as in some sandboxes.
FORBID = """
import ctypes, struct, sys
number, architecture = map(int, sys.argv[1:3])
EPERM, ALLOW, ERRNO = 1, 0x7FFF0000, 0x00050000
program = b"".join(
    struct.pack("HBBI", *step)
    for step in (
        (0x20, 0, 0, 4), (0x15, 0, 3, architecture),
        (0x20, 0, 0, 0), (0x15, 0, 1, number),
        (0x06, 0, 0, ERRNO | EPERM), (0x06, 0, 0, ALLOW),
    )
)
steps = ctypes.create_string_buffer(program)
described = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(steps))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, described, 0, 0) == 0
"""


def cpus(*numbers):
    return frozenset(numbers)


def usable():
    return frozenset(os.sched_getaffinity(0))


def test_with_two_cores_the_observer_shares_that_of_the_engine():
    if len(usable()) < 2:
        pytest.skip("this machine has one core")
    first, *_, last = sorted(usable())
    assert this_host(cpus(first, last)) == Host(
        server_cpus=cpus(first), client_cpus=cpus(last), observer_cpus=cpus(first)
    )


def test_with_three_cores_the_observer_has_its_own():
    if len(usable()) < 3:
        pytest.skip("this machine has two cores")
    host = this_host()
    assert not host.observer_cpus & (host.server_cpus | host.client_cpus)
    assert host.observer_cpus | host.server_cpus | host.client_cpus == usable()


def test_all_cores_are_used_by_all_without_separation():
    everything = usable()
    assert this_host(wants_apart=False) == Host(
        server_cpus=everything, client_cpus=everything, observer_cpus=everything
    )
    assert not this_host(wants_apart=False).is_apart


def test_the_engine_beside_a_contestant_has_separate_cores_if_there_are_any():
    apart = Host(server_cpus=cpus(0), client_cpus=cpus(3), observer_cpus=cpus(1, 2))
    assert apart.reference_cpus == cpus(1, 2)
    both = Host(server_cpus=cpus(0), client_cpus=cpus(1), observer_cpus=cpus(0))
    assert both.reference_cpus == cpus(1)


def test_a_server_with_a_number_of_cores_leaves_the_others_to_clients():
    if len(usable()) < 2:
        pytest.skip("this machine has one core")
    *others, last = sorted(usable())
    assert this_host(server_cores=1) == Host(
        server_cpus=cpus(last),
        client_cpus=cpus(*others),
        observer_cpus=cpus(*others),
        is_server_fixed=True,
    )
    assert this_host(server_cores=1, wants_apart=False).client_cpus == usable()


def test_too_many_cores_of_a_server_are_refused():
    number = len(usable())
    with pytest.raises(UsageError, match=f"needs {number + 1} cores, of which the run"):
        this_host(server_cores=number)
    assert this_host(server_cores=number, wants_apart=False).server_cpus == usable()


def test_one_core_is_shared():
    core = cpus(max(usable()))
    with on_cpus(core):
        host = this_host()
    assert host == Host(server_cpus=core, client_cpus=core, observer_cpus=core)
    assert host == this_host(core)
    assert host.is_shared


def test_a_contestants_cores_come_from_the_observer():
    host = Host(server_cpus=cpus(0), client_cpus=cpus(4), observer_cpus=cpus(1, 2, 3))
    assert host.contestant_cores_max == 4
    assert host.with_contestant_cores(1) == host
    two = host.with_contestant_cores(2)
    assert (two.client_cpus, two.observer_cpus) == (cpus(3, 4), cpus(1, 2))
    every = host.with_contestant_cores(4)
    assert (every.client_cpus, every.observer_cpus) == (cpus(1, 2, 3, 4), cpus(0))
    assert two.server_cpus == every.server_cpus == cpus(0)


def test_two_cores_have_none_to_spare():
    two = Host(server_cpus=cpus(0), client_cpus=cpus(1), observer_cpus=cpus(0))
    assert two.contestant_cores_max == 1
    every = cpus(0, 1, 2)
    shared = Host(server_cpus=every, client_cpus=every, observer_cpus=every)
    assert shared.contestant_cores_max == 1


def test_a_missing_core_is_refused():
    with pytest.raises(UsageError, match=rf"core 99999 .* only {join(usable())}; "):
        this_host(usable() | {99_999})


@pytest.mark.skipif(
    platform.machine() not in SET_AFFINITY, reason="its system calls are not known"
)
def test_without_permission_to_choose_cores_processes_run_unpinned(orchestrate):
    printed = orchestrate(
        FORBID
        + """
from autostrada.errors import UsageError
from autostrada.machine.host import this_host
from autostrada.machine.process import on_cpus
host = this_host()
with on_cpus(host.client_cpus):
    print(host.is_pinned, host.client_cpus == host.server_cpus == host.observer_cpus)
try:
    this_host(host.client_cpus)
except UsageError as error:
    print(error)
""",
        *SET_AFFINITY[platform.machine()],
    )
    first, second = printed.splitlines()
    assert first == "False True"
    assert second.endswith("omit --cpus")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0", {0}),
        ("0-3,6", {0, 1, 2, 3, 6}),
        ("6, 0 - 1", {0, 1, 6}),
        ("2-2", {2}),
    ],
)
def test_a_list_of_cores_is_parsed(text, numbers):
    assert parse_cpus(text) == numbers


@pytest.mark.parametrize(
    "text", ["", ",", "1,", "3-1", "-1", "a", "1-", "0x1", "9" * 9]
)
def test_an_invalid_list_of_cores_is_refused(text):
    with pytest.raises(UsageError) as caught:
        parse_cpus(text)
    assert str(caught.value) == (
        f"--cpus {text!r} is not a list of cores; write it like 0-3,6"
    )


def test_cores_are_formatted_as_a_list():
    assert join(cpus(10, 2)) == "2,10"
