"""A trial of a feed whose ends are the engine; tests/end_to_end has all the others."""

import json

SCRIPT = """
import json, sys
from autostrada.machine.host import this_host
from autostrada.machine.process import adopt_orphans
from autostrada.experiment.experiment import parse_experiment
from autostrada.runner.engine import find_engine
from autostrada.runner.observer import observing
from autostrada.runner.trial.cast import Cast, Course
from autostrada.runner.trial.feed.feed import measure_feed

experiment = parse_experiment(sys.argv[1], origin="feed.toml")
course = Course(experiment=experiment, engine=find_engine(), host=this_host())
adopt_orphans()
with observing(course.engine, cpus=None, every_ms=50) as watch:
    made = measure_feed(course, experiment.workload[0], Cast(), watch)
figures = {each.figure: each.value for each in made.figures}
processes = [each.process for each in made.processes]
print(json.dumps([made.messages, processes, figures]))
"""
EXPERIMENT = """
title = "Feed"
question = "Who feeds?"
repetitions = 1
warm_ups = 0
limit_s = 20

[[workload]]
name = "feed"
kind = "feed"
feed = "sequence"
seconds = 0.2
processes = 2
workers = 2
"""


def test_each_worker_feeds_its_own_clients(orchestrate):
    messages, processes, figures = json.loads(orchestrate(SCRIPT, EXPERIMENT))
    assert {"client", "client 2", "server", "server 2"} == {*processes}
    assert figures["sent_messages"] >= figures["received_messages"] == messages > 0
    assert figures["disconnected_clients"] == figures["wrong_messages"] == 0
