"""Feeds over TLS as a user runs them: the engine and a contestant."""

import pytest

from autostrada.contestants.catalog import find_catalog
from autostrada.experiment.matrix import REFERENCE

SUITE = "TLS_AES_128_GCM_SHA256"
CONTESTANT = next(
    name
    for name, contestant in find_catalog().contestants().items()
    if contestant.manifest.language == "python"
    and contestant.has("server", published=True)
    and contestant.program("server", published=True).tls
)
"""A contestant whose language is installed wherever this test runs."""
EXPERIMENT = f"""
title       = "Secure"
question    = "How many?"
repetitions = 1
limit_s     = 120
cores       = "shared"
servers     = ["{REFERENCE}", "{CONTESTANT}"]

[[workload]]
name        = "soak"
kind        = "feed"
feed        = "clock"
every_ms    = 50
seconds     = 1
workers     = 2
processes   = 2
connections = 50
connect_rate_per_s = 1000
tls          = true
cipher_suite = "{SUITE}"
"""
CHANGED = ["soak.connections=10", 'soak.encoding="json"']


@pytest.fixture(scope="module")
def secure(workspace):
    """Return a workspace where the experiment was run with half of the connections."""
    workspace.contestants.mkdir(parents=True)
    workspace.experiment.write_text(EXPERIMENT)
    ended = workspace.run(*[word for each in CHANGED for word in ("--set", each)])
    assert ended.returncode == 0, ended.stderr
    return workspace


def metrics(workspace, workload, server):
    """Return the metrics of the last trial of a cell."""
    rows = workspace.query(
        "SELECT metric, value FROM metric WHERE trial_id = (SELECT max(trial_id) FROM "
        f"trial WHERE workload = '{workload}' AND server = '{server}')"
    )
    return {row["metric"]: row["value"] for row in rows}


@pytest.mark.parametrize("server", [REFERENCE, CONTESTANT])
def test_all_connections_use_tls(secure, server):
    known = metrics(secure, "soak", server)
    # Of 20 connections; the engine may not count the first message of each.
    assert 19 * 20 <= known["received_messages"] <= 20 * 20
    assert known["disconnected_clients"] == known["wrong_messages"] == 0
    assert known["is_steady"] in (0, 1)
