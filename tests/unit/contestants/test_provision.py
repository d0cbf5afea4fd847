"""Concurrent builds: each is reported, and none outlives the caller."""

import os
import threading

import pytest

from autostrada.contestants.build import Builder, Built
from autostrada.contestants.provision import provision
from autostrada.machine.orphans import children_of


@pytest.fixture
def provisioned(catalog_builder, tmp_path):
    """Return a function that starts to build all contestants."""
    builder = Builder(kits=tmp_path / "kits", builds=tmp_path / "builds")

    def start(jobs=2, begin=lambda name: None):
        return provision(
            catalog_builder.contestants.values(), builder, jobs=jobs, begin=begin
        )

    return start


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
