"""Many builds at once: each is reported, and none outlives who asked for it."""

import os
import threading

import pytest

from autostrada.contestants.build import Built, Workshop
from autostrada.contestants.provision import provision
from autostrada.errors import BuildFailed, NotInstalled
from autostrada.machine.process import children_of


@pytest.fixture
def provisioned(fair, tmp_path):
    """Return a function that starts to build all."""
    workshop = Workshop(kits=tmp_path / "kits", builds=tmp_path / "builds")

    def start(jobs=2, begin=lambda name: None):
        return provision(fair.contestants.values(), workshop, jobs=jobs, begin=begin)

    return start


def test_each_folder_is_built_once_and_found_the_second_time(fair, provisioned):
    fair.add("small")
    begun = []
    first = list(provisioned(begin=begun.append))
    assert sorted(begun) == ["ada-fast", "ada-small"]
    assert [(each.is_new, each.outcome.version) for each in first] == [
        (True, "1.2.3")
    ] * 2
    second = list(provisioned(begin=begun.append))
    assert [each.is_new for each in second] == [False, False]
    assert len(begun) == 2


def test_one_that_fails_or_is_missing_leaves_the_others_alone(fair, provisioned):
    fair.add("broken", build="exit 3")
    fair.add("missing", gnat="GNAT 9")
    outcomes = {
        each.contestant.folder.name: type(each.outcome) for each in provisioned()
    }
    assert outcomes == {
        "ada-fast": Built,
        "ada-broken": BuildFailed,
        "ada-missing": NotInstalled,
    }


def test_so_many_are_built_at_once(fair, provisioned, tmp_path):
    # Each waits for the other: one after the other they would never end.
    for name, other in (("one", "two"), ("two", "one")):
        wait = f"touch {tmp_path}/{name}; until test -e {tmp_path}/{other}; do :; done"
        fair.add(name, build=wait)
    assert all(isinstance(each.outcome, Built) for each in provisioned(jobs=2))


def test_whoever_stops_listening_ends_the_builds(fair, provisioned, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    fair.add("endless", build=f"echo $$ >{fifo}; exec sleep 600")
    begun = threading.Event()
    provisions = provisioned(begin=lambda name: begun.set())
    assert next(provisions).contestant.folder.name == "ada-fast"
    pid = int(fifo.read_text())
    provisions.close()
    assert pid not in children_of(os.getpid())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
