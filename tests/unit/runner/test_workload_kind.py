"""A new kind of workload needs only its own class to be run."""

import json

SCRIPT = '''
import json
from typing import Literal

from autostrada.engine.plans import load_plan, serve_plan, url_of
from autostrada.engine.process import find_engine
from autostrada.experiment.experiment import Experiment
from autostrada.machine.host import this_host
from autostrada.machine.orphans import adopt_orphans
from autostrada.runner.context import RunContext
from autostrada.runner.reproduction import reproduction
from autostrada.runner.trial import run_trial
from autostrada.store.record import Attempt, Cell, MetricValue, Measurement
from autostrada.workloads.report import Configuration, Window
from autostrada.workloads.workload import Workload


class Connect(Workload):
    """Connections are opened and left idle."""

    kind: Literal["connect"] = "connect"
    connections: int

    def server(self, setup, port):
        plan = serve_plan(listen=f"127.0.0.1:{port}", protocol=setup.protocol)
        return Configuration(plan=plan, environment={}, has_result=False)

    def client(self, setup, port):
        plan = load_plan(
            url=url_of(setup.protocol, port, "/echo", is_over_tls=False),
            workload={"kind": "connect", "phases": {"window_s": 0.3}},
            connections=self.connections,
        )
        return Configuration(plan=plan, environment=None)

    def window(self, reports):
        load = reports.clients[0].load
        return Window(start_ns=load.window_start_ns, duration_ns=load.window_ns)

    def ranking_metric(self, medians):
        return "connect_s"

    def evaluate(self, reports, observed):
        opened = reports.clients[0].connections
        return Measurement(
            messages=0,
            payload_bytes=0,
            duration_ns=observed.window.duration_ns,
            server_utilization=None,
            client_utilization=None,
            processes=(),
            ends=(),
            seconds=(),
            metrics=(MetricValue(process="client", metric="opened", value=opened),),
        )


workload = Connect(name="idle", connections=7)
experiment = Experiment.model_construct(
    limit_s=20.0,
    memory_bytes_max=2**33,
    congestion_control=None,
    workload=(workload,),
    servers=("reference",),
    clients=("reference",),
)
context = RunContext(experiment=experiment, engine=find_engine(), host=this_host())
adopt_orphans()
trial = run_trial(
    context,
    Attempt(cell=Cell(workload="idle"), repetition=0),
    workload,
    context.endpoints(),
)
metrics = {each.metric: each.value for each in trial.outcome.metrics}
_, clients = reproduction(context, workload, context.endpoints())
print(json.dumps([metrics, clients]))
'''


def test_the_runner_does_not_depend_on_the_names_of_kinds(orchestrate):
    metrics, clients = json.loads(orchestrate(SCRIPT))
    assert metrics == {"opened": 7}
    assert '"kind": "connect"' in clients
