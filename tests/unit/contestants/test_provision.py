"""Concurrent builds: each is reported, and none outlives the caller."""

import os
import threading

import pytest

from autostrada.contestants.build import Builder, Built
from autostrada.contestants.provision import provision
from autostrada.errors import BuildFailed, NotInstalled
from autostrada.machine.process import children_of


@pytest.fixture
def provisioned(catalog_builder, tmp_path):
    """Return a function that starts to build all contestants."""
    builder = Builder(kits=tmp_path / "kits", builds=tmp_path / "builds")

    def start(jobs=2, begin=lambda name: None):
        return provision(
            catalog_builder.contestants.values(), builder, jobs=jobs, begin=begin
        )

    return start


def test_each_folder_is_built_once_and_reused_the_second_time(
    catalog_builder, provisioned
):
    catalog_builder.add("small")
    begun = []
    first = list(provisioned(begin=begun.append))
    assert sorted(begun) == ["ada-fast", "ada-small"]
    assert [(each.is_new, each.outcome.version) for each in first] == [
        (True, "1.2.3")
    ] * 2
    second = list(provisioned(begin=begun.append))
    assert [each.is_new for each in second] == [False, False]
    assert len(begun) == 2


def test_a_failed_or_missing_one_does_not_affect_the_others(
    catalog_builder, provisioned
):
    catalog_builder.add("broken", build="exit 3")
    catalog_builder.add("missing", gnat="GNAT 9")
    outcomes = {
        each.contestant.folder.name: type(each.outcome) for each in provisioned()
    }
    assert outcomes == {
        "ada-fast": Built,
        "ada-broken": BuildFailed,
        "ada-missing": NotInstalled,
    }


def test_the_given_number_is_built_at_once(catalog_builder, provisioned, tmp_path):
    # Each waits for the other, so that sequential builds would never end.
    for name, other in (("one", "two"), ("two", "one")):
        wait = f"touch {tmp_path}/{name}; until test -e {tmp_path}/{other}; do :; done"
        catalog_builder.add(name, build=wait)
    assert all(isinstance(each.outcome, Built) for each in provisioned(jobs=2))


def test_closing_the_iterator_ends_the_builds(catalog_builder, provisioned, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    catalog_builder.add("endless", build=f"echo $$ >{fifo}; exec sleep 600")
    begun = threading.Event()
    provisions = provisioned(begin=lambda name: begun.set())
    assert next(provisions).contestant.folder.name == "ada-fast"
    pid = int(fifo.read_text())
    provisions.close()
    assert pid not in children_of(os.getpid())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
