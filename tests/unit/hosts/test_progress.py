"""What is shown of a load that hosts divide."""

import pytest

from autostrada.hosts.cluster import ClusterHost
from autostrada.hosts.load import HostLoad
from autostrada.hosts.progress import live_progress


def part(*warnings, is_ready=True):
    return HostLoad(is_ready=is_ready, warnings=dict.fromkeys(warnings))


def warned(capsys, *loads):
    """Show the parts of hosts as often as given; return the lines with warnings."""
    with live_progress(is_plain=True) as show:
        for parts in loads:
            names = [f"host{number}" for number in range(1, len(parts) + 1)]
            hosts = [ClusterHost(agent=None, more=list, name=name) for name in names]
            show(dict(zip(hosts, parts, strict=True)))
    lines = capsys.readouterr().err.splitlines()
    return [line for line in lines if line.startswith("autostrada: ")]


@pytest.mark.parametrize(
    ("parts", "lines"),
    [
        ([part("[a] few"), part("[a] few")], ["all hosts: [a] few"]),
        ([part("few")], ["host1: few"]),
        (
            [part("few"), part(), part("few", "old")],
            ["host1, host3: few", "host3: old"],
        ),
        ([part("few"), part(is_ready=False)], []),
    ],
)
def test_a_warning_has_its_hosts(capsys, parts, lines):
    assert warned(capsys, parts) == [f"autostrada: {line}" for line in lines]


def test_a_warning_is_shown_once(capsys):
    opening, running = [part("few"), part()], [part("few", "slow"), part()]
    assert warned(capsys, opening, opening, running, running) == [
        "autostrada: host1: few",
        "autostrada: host1: slow",
    ]
