"""A trial of bots whose ends are the engine; tests/end_to_end has all the others."""

import json

SCRIPT = """
import json, sys
from autostrada.machine.host import this_host
from autostrada.machine.process import adopt_orphans
from autostrada.experiment.experiment import parse_experiment
from autostrada.runner.engine import find_engine
from autostrada.runner.observer import observing
from autostrada.runner.trial.bots.bots import measure_bots
from autostrada.runner.trial.cast import Cast, Course

experiment = parse_experiment(sys.argv[1], origin="bots.toml")
course = Course(experiment=experiment, engine=find_engine(), host=this_host())
adopt_orphans()
with observing(course.engine, cpus=None, every_ms=50) as watch:
    made = measure_bots(course, experiment.workload[0], Cast(), watch)
figures = {each.figure: each.value for each in made.figures}
_, server = made.ends
print(json.dumps([made.messages, made.sender, figures, server.busy_share]))
"""
EXPERIMENT = """
title = "Bots"
question = "How many?"
repetitions = 1
warm_ups = 0
limit_s = 20

[[workload]]
name = "bots"
kind = "bots"
connections = 5
every_ms = 100
warm_up_s = 0
window_s = 1
"""


def test_what_is_due_is_sent_and_answered(orchestrate):
    messages, sender, figures, busy_share = json.loads(orchestrate(SCRIPT, EXPERIMENT))
    assert (messages, sender) == (50, "client")
    assert figures["offered_per_s"] == 50
    assert figures["achieved_share"] == 1
    assert figures["client_memory_bytes_per_connection"] >= 0
    assert figures["cpu_idle_share"] == 1 - busy_share
