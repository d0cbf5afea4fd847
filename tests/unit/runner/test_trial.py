"""Whole trials of the engine, and one without an observer."""

from tests.unit.definitions import define, definition

from autostrada.engine.process import find_engine

EXPERIMENT = definition(
    define("push", messages=10_000),
    define("echo", connections=5, every_ms=100, warm_up_s=0),
)


def test_due_messages_are_sent_and_answered(trial):
    made = trial(EXPERIMENT, "echo")["outcome"]
    metrics = {each["metric"]: each["value"] for each in made["metrics"]}
    ends = {each["process"]: each["utilization"] for each in made["ends"]}
    assert (made["messages"], made["sender"]) == (50, "client")
    assert metrics["offered_per_s"] == 50
    assert metrics["client_memory_bytes_per_connection"] >= 0
    assert metrics["cpu_idle_share"] == 1 - ends["server"]


def test_a_trial_does_not_need_its_observer(tmp_path, trial):
    engine = tmp_path / "engine"
    engine.write_text(
        f"#!/bin/sh\n[ $1 = observe ] && {{ echo is blind >&2; exit 3; }}\n"
        f'exec {find_engine()} "$@"\n'
    )
    engine.chmod(0o755)
    made = trial(EXPERIMENT, "push", engine=engine)
    assert (made["outcome"]["messages"], made["retry"]) == (10_000, 1)
    reason = "the observer failed: is blind"
    missing = [{"metric": "observation", "reason": reason}]
    assert made["observation"]["missing_metrics"] == missing
