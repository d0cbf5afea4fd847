"""A missing claim in a manifest is reported with file, key and remedy."""

from pathlib import Path

import pytest
from tests.unit.definitions import define, definition

from autostrada.contestants.claims import refuse_unclaimed
from autostrada.contestants.contestant import parse_manifest
from autostrada.errors import UsageError
from autostrada.experiment.experiment import parse_experiment

STOCKS = {"feed": "stocks"}
WORKLOADS = {
    "push": ("push", {}),
    "push of single frames": ("push", {"frames_per_write": "one"}),
    "push for a second": ("push", {"seconds": 1}),
    "push of bytes": ("push", {"binary": True}),
    "compressed push": ("push", {"deflate": True}),
    "feed": ("feed", {}),
    "feed over TLS": ("feed", {"tls": True}),
    "series": ("feed", STOCKS | {"bars": 30}),
    "decoded stocks": ("feed", STOCKS | {"decode": "whole"}),
    "drained stocks": ("feed", STOCKS | {"drain_s": 1}),
    "bots": ("echo", {}),
    "bots over TLS": ("echo", {"tls": True}),
    "bots with work": ("echo", {"work_us": 200}),
    "bots with a lobby": ("echo", {"lobby": {}}),
    "polling": ("echo", {"transport": "polling"}),
}
SERVES = '[published.server]\ncommand = ["./feed"]\n'
READS = '[published.client]\ncommand = ["./reader"]\n'
OLD = '[[variant]]\nname = "old"\nenv = {}\npublished = true\n'
ABLE = "tls = true\nbars = true\nwork = true\npush = true\n"
ADDED = {
    "fast": "",
    "serves": SERVES,
    "serves-all": SERVES + ABLE,
    "reads": READS,
    "reads-all": READS + "decode = true\nseconds = true\n",
    "both": SERVES + READS + OLD,
}
"""What manifests have beyond the usual one, by the library of the folder."""

CASES = [
    ("bots over TLS", "fast", ""),
    ("bots", "plain", ""),
    ("bots over TLS", "plain", ""),
    *(
        (workload, server, "")
        for workload in (
            *("feed over TLS", "series", "bots with work"),
            *("push of single frames", "feed", "bots with a lobby"),
        )
        for server in ("fast", "serves", "serves-all")
    ),
    *(
        (workload, "", client)
        for workload in ("feed", "decoded stocks", "drained stocks")
        for client in ("fast", "reads", "reads-all")
    ),
    ("push", "fast", ""),
    ("push for a second", "fast", ""),
    ("push of bytes", "fast", ""),
    ("push", "", "fast"),
    ("push", "", "fast+fork"),
    ("push", "", "other"),
    ("compressed push", "", "fast"),
    ("feed", "", "both+old"),
    ("feed", "both+old", ""),
    ("push", "", "both"),
    ("bots", "", "fast"),
    ("series", "", ""),
    ("polling", "", ""),
    ("polling", "fast", ""),
    ("polling", "other", ""),
    # A contestant needs a peer of its protocol; the engine serves no Socket.IO.
    ("feed", "both other", "reads"),
    ("feed", "both other", "reads reference"),
    ("feed", "", "other"),
]


def named(ends):
    return [each if each == "reference" else f"ada-{each}" for each in ends.split()]


def answered(known, workload, servers, clients):
    """Return the message that refuses an experiment, if any."""

    kind, settings = WORKLOADS[workload]
    text = definition(
        define(kind, "asked", **settings),
        servers=named(servers) or ["reference"],
        clients=named(clients) or ["reference"],
    )
    try:
        experiment = parse_experiment(text, origin="claims.toml")
        refuse_unclaimed(experiment.contestants, known, experiment)
    except UsageError as refused:
        return str(refused)
    return "accepted"


@pytest.fixture
def known(manifest):
    texts = {name: manifest + added for name, added in ADDED.items()}
    texts["plain"] = manifest.replace("tls     = true", "")
    texts["other"] = texts["both"].replace('"websocket"', '"socketio"')
    return {
        each.name: each
        for name, text in texts.items()
        for each in parse_manifest(text, folder=Path(f"ada-{name}"))
    }


def test_what_a_contestant_does_not_claim_is_refused_with_the_remedy(known, snapshot):
    lines = [
        f"{workload}, {servers or 'engine'} -> {clients or 'engine'}: "
        f"{answered(known, workload, servers, clients)}\n"
        for workload, servers, clients in CASES
    ]
    snapshot("claims.txt", "".join(lines))
