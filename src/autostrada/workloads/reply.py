"""A reply: the engine is the server, and its clients return the messages it sends."""

from typing import ClassVar, Literal

from autostrada.engine.plans import Protocol, load_plan
from autostrada.errors import Miscounted
from autostrada.stats.evidence import EndName
from autostrada.store.record import Measurement
from autostrada.workloads.exchange import ExchangeWorkload, exchange_of
from autostrada.workloads.load import load_of
from autostrada.workloads.report import (
    START_S_MAX,
    ClientReport,
    Configuration,
    Reports,
    Setup,
    WindowObservation,
)

PATH = "/reply"


class Reply(ExchangeWorkload):
    """The engine waits for the client's connections and sends on them."""

    driver: ClassVar[EndName] = "server"
    has_contestant_clients: ClassVar[bool] = True

    kind: Literal["reply"]

    @property
    def why_only_engine_serves(self) -> str:
        """Why the server must be the engine: it sends and measures."""
        return "it sends and measures"

    @property
    def client_claims(self) -> tuple[str, ...]:
        """Keys of ``[client]`` that a contestant's manifest must set."""
        return ("reply",)

    @property
    def required_protocol(self) -> Protocol | None:
        """Return WebSocket, the only protocol of which the engine can be this end."""
        return "websocket"

    def server(self, setup: Setup, port: int) -> Configuration:
        """Configure the engine, which waits for all connections."""
        plan = load_plan(
            url=setup.url(port, PATH, "websocket"),
            end="server",
            workload=self.exchange_plan(setup.limit_s),
            congestion_control=setup.congestion_control,
            connections=self.connections,
            slices=True if self.slices else None,
        )
        return Configuration(plan=plan, environment=None, is_load=True)

    def client(self, setup: Setup, port: int) -> Configuration:
        """Configure a client: docs/contract.md, section 3."""
        url = setup.url(port, PATH, "websocket")
        window_s = START_S_MAX if self.slices else self.time_limit_s(setup.limit_s)
        phases = {"window_s": window_s}
        plan = load_plan(
            url=url,
            protocol=None,
            workload={"kind": "answer", "phases": phases},
            tls=None,
            congestion_control=setup.congestion_control,
            connections=self.connections,
            **setup.connection_limits.load_keys(self.connections),
        )
        environment = {
            "VERB": "reply",
            "URL": url,
            "CONNECTIONS": str(self.connections),
        }
        return Configuration(plan=plan, environment=environment)

    def driver_report(self, reports: Reports) -> ClientReport:
        """Return the report of the engine, which comes after that of the client."""
        return reports.clients[-1]

    def evaluate(self, reports: Reports, observed: WindowObservation) -> Measurement:
        """
        Return the measurement from the answered messages and the observation.

        Raises:
            Miscounted: the client received fewer messages than it returned.
        """
        client = reports.clients[0]
        returned = exchange_of(load_of(self.driver_report(reports))).echoed
        if client.messages < returned:
            raise Miscounted(
                f"counted {client.messages:,} messages and returned {returned:,}",
                process="client",
            )
        return super().evaluate(reports, observed)
