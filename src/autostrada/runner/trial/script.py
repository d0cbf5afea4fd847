"""
What both ends of a feed, or of bots, are told: docs/contract.md, 8; docs/format.md.

The engine is told by a plan, a contestant by its environment. What is said of TLS is
added here: where no connection is over TLS, nothing.
"""

from dataclasses import dataclass

from autostrada.contestants.contestant import Protocol
from autostrada.errors import EngineError
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.workload import Bots, Feed
from autostrada.machine.certificates import Certificates
from autostrada.runner.trial.bots import plans as bots
from autostrada.runner.trial.cast import Cast, Course
from autostrada.runner.trial.feed import plans as feed
from autostrada.runner.trial.feed.plans import Environment, Plan


@dataclass(frozen=True, kw_only=True, slots=True)
class Script:
    """The words of one trial, for whoever plays in it."""

    experiment: Experiment
    workload: Feed | Bots
    protocol: Protocol
    certificates: Certificates | None = None
    """Of servers that speak TLS, where any does."""

    def server_plan(self, port: int) -> Plan:
        """Return what the engine is told as a server."""
        match self.workload:
            case Feed() as workload:
                plan = feed.server_plan(self.experiment, workload, self.protocol, port)
            case Bots() as workload:
                plan = bots.server_plan(self.experiment, workload, self.protocol, port)
        if self.workload.tls:
            made = self._certificates()
            plan["tls"] = {
                "certificate_file": str(made.certificate_file),
                "key_file": str(made.key_file),
            }
        return plan

    def server_environment(self, port: int) -> Environment:
        """Return what a contestant is told as a server."""
        match self.workload:
            case Feed() as workload:
                environment = feed.server_environment(workload, port)
            case Bots():
                environment = bots.server_environment(port)
        if self.workload.tls:
            made = self._certificates()
            environment["TLS_CERT"] = str(made.certificate_file)
            environment["TLS_KEY"] = str(made.key_file)
        return environment

    def client_plan(self, port: int) -> Plan:
        """Return what the engine is told as a client."""
        match self.workload:
            case Feed() as workload:
                plan = feed.client_plan(self.experiment, workload, self.protocol, port)
            case Bots() as workload:
                plan = bots.client_plan(self.experiment, workload, self.protocol, port)
        if self.workload.tls:
            trusted = {"ca_file": str(self._certificates().ca_file)}
            if isinstance(self.workload, Feed) and self.workload.cipher_suite:
                trusted["cipher_suite"] = self.workload.cipher_suite
            plan["tls"] = trusted
        return plan

    def client_environment(self, port: int) -> Environment:
        """Return what a contestant is told as a client, which is never over TLS."""
        match self.workload:
            case Feed() as workload:
                return feed.client_environment(workload, port)
            case Bots():
                raise EngineError("a contestant is client of a workload of bots")

    def _certificates(self) -> Certificates:
        if self.certificates is None:
            raise EngineError("a workload is over TLS, and the run has no certificates")
        return self.certificates


def script_of(course: Course, workload: Feed | Bots, cast: Cast) -> Script:
    """Return what is told in a trial."""
    return Script(
        experiment=course.experiment,
        workload=workload,
        protocol=protocol_of(workload, cast),
        certificates=course.certificates,
    )


def protocol_of(workload: Feed | Bots, cast: Cast) -> Protocol:
    """Return what both ends speak: the engine speaks what the other one does."""
    for program in (cast.server, cast.client):
        if program is not None:
            return program.protocol
    is_polled = isinstance(workload, Bots) and workload.transport == "polling"
    return "socketio" if is_polled else "websocket"
