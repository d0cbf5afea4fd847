"""Experiments of which a test gives only some settings, and the cores that they use."""

import json

from autostrada.experiment.experiment import parse_experiment
from autostrada.machine.host import Host

TWO_CORES = Host(
    server_cpus=frozenset({0}), client_cpus=frozenset({1}), observer_cpus=frozenset({0})
)
USUAL = {"title": "Made up", "question": "Does it work?", "repetitions": 1}
USUAL_OF_KIND = {
    "push": {"messages": 1000, "payload_text": "hello", "frames_per_write": "many"},
    "feed": {"feed": "clock", "seconds": 1},
    "echo": {"window_s": 1},
}


def define(kind, name=None, **settings):
    """Return a workload of an experiment's file, by default named after its kind."""
    usual = {"name": name or kind, "kind": kind} | USUAL_OF_KIND.get(kind, {})
    return f"[[workload]]\n{_lines(usual | settings)}"


def definition(*workloads, more="", **settings):
    """Return an experiment's file; ``more`` are lines before the workloads."""
    known = USUAL | {"limit_s": 20} | settings
    return f"{_lines(known)}{more}\n{''.join(workloads)}"


def make_experiment(*workloads, **settings):
    """Return an experiment with these workloads."""
    return parse_experiment(definition(*workloads, **settings), origin="made-up.toml")


def _lines(settings, table=""):
    """Return settings as lines of TOML; those of a table have dotted keys."""
    return "".join(
        _lines(value, f"{table}{key}.")
        if isinstance(value, dict) and value
        else f"{table}{key} = {json.dumps(value)}\n"
        for key, value in settings.items()
    )
