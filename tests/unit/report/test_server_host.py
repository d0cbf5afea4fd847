"""The host of the servers beside the published one and this machine."""

from dataclasses import replace

import pytest

from autostrada.experiment.publication import PublishedHost
from autostrada.experiment.server_host import ServerHost
from autostrada.report.number import THIN_SPACE
from autostrada.report.server_host import host_rows

GIB = 1024**3
MEASURED = {
    "cores": 2,
    "cpu_model": "Fast",
    "memory_bytes": 16 * GIB,
    "cipher_bytes_per_s": 4 * GIB,
    "server_host_cpu_share_max": 0.9,
    "server_host_memory_bytes_max": 3 * GIB,
    "server_host_memory_bytes_reached": 2.9 * GIB,
    "server_host_aes": "software",
    "server_host_cipher_bytes_per_s": 0.25 * GIB,
    "server_host_loop_share": 0.9,
}


@pytest.fixture
def limited(market):
    """Return results of an experiment with a smaller host for its servers."""
    experiment = market.experiment.model_copy(
        update={"server_host": ServerHost(cpu_share_max=0.9)}
    )
    return replace(market, experiment=experiment, host=MEASURED)


def rows(results):
    """Return the texts of each row, by its name."""
    return {
        row.name: tuple(
            text.replace(THIN_SPACE, " ")
            for text in (row.published, row.server_host, row.machine)
        )
        for row in host_rows(results)
    }


def test_without_a_smaller_or_published_host_there_is_no_table(market):
    assert host_rows(market) == ()
    assert host_rows(replace(market, publication=None)) == ()


def test_limits_and_what_was_measured_are_beside_this_machine(limited):
    assert rows(limited) == {
        "cores": ("", "at most 90% of one in all", "2"),
        "memory": ("", "3.00 GiB (a process was ended at 2.90 GiB)", "16.0 GiB"),
        "AES-128-GCM": ("", "256 MiB/s, in software", "4.00 GiB/s"),
        "speed of a loop": ("", "0.90×", "1.00×"),
    }


def test_the_published_host_is_beside_both(limited):
    host = PublishedHost(
        name="Small", cores=4, memory_bytes=4 * GIB, cipher_bytes_per_s=GIB / 8
    )
    publication = limited.publication.model_copy(update={"host": host})
    found = rows(replace(limited, publication=publication))
    assert found["machine"] == ("Small", "", "Fast")
    assert [found[name][0] for name in ("cores", "memory", "AES-128-GCM")] == [
        "4",
        "4.00 GiB",
        "128 MiB/s",
    ]


def test_what_is_not_limited_is_as_this_machine(market):
    publication = market.publication.model_copy(update={"host": PublishedHost(cores=4)})
    found = rows(replace(market, publication=publication, host={"cores": 2}))
    assert found == {
        "cores": ("4", "as this machine", "2"),
        "memory": ("", "as this machine", ""),
        "AES-128-GCM": ("", "as this machine", ""),
    }
