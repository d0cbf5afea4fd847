"""A push: the engine sends messages as fast as one client receives them."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from autostrada.engine.messages import ServeResult
from autostrada.engine.plans import Protocol, load_plan, serve_plan, url_of
from autostrada.errors import Crashed, Miscounted, TimedOut
from autostrada.evidence.ends import TrialEnd, end_evidence, total_from_samples
from autostrada.evidence.rate import (
    COLD_METRICS,
    marks_of,
    ping_positions,
    push_rate,
)
from autostrada.evidence.results import duration_ns, utilization, working_ns
from autostrada.stats.evidence import EndName
from autostrada.stats.metrics import PER_CPU
from autostrada.store.record import (
    Measurement,
    MetricValue,
    Observation,
    ProcessTotal,
    SecondRow,
)
from autostrada.workloads.agreement import expect_agreement
from autostrada.workloads.payload import PAYLOAD_BYTES_MAX, payload_of
from autostrada.workloads.push_slices import (
    PONG_S_MAX,
    expect_slices,
    sliced_measurement,
)
from autostrada.workloads.report import (
    START_S_MAX,
    ClientReport,
    Configuration,
    Reports,
    SecondReport,
    Setup,
    SlicePlan,
    Window,
    WindowObservation,
    whole_series,
)
from autostrada.workloads.workload import Count, Workload

UNREACHED = 2**40
"""Number of messages that the engine as a client waits for if the server ends the push:
the engine receives up to a billion a second."""

PONG_MS = 25.0
"""Time between two pongs in milliseconds."""


class Push(Workload):
    """
    The engine sends messages as fast as the client receives them.

    Without ``seconds`` it sends ``messages``, and the client closes the connection.
    With ``seconds`` these are the cold start; after a warm-up of the client the engine
    sends in turn with all other cells, for that long in all, and closes the connection.
    The times come from the client's answers to pings between the messages.
    """

    has_contestant_clients: ClassVar[bool] = True
    needs_client_observed: ClassVar[bool] = True
    is_race: ClassVar[bool] = True
    sweepable: ClassVar[frozenset[str]] = frozenset({"payload_bytes"})

    kind: Literal["push"]
    messages: Count
    seconds: Annotated[float, Field(ge=0, le=86_400)] = 0.0
    """Length of all slices together, in seconds; 0 if the messages end the push."""

    slices: Count | None = None
    """Number of slices that ``seconds`` are divided into, in turn with those of all
    other cells of the workload; ``None`` for one."""

    warm_up_s: float = Field(default=1.0, ge=0)
    """Time between the cold start and the first slice, in seconds."""

    payload_text: str | None = None
    """Payload of each message; excludes ``payload_bytes``."""

    payload_bytes: Annotated[int, Field(gt=0, le=PAYLOAD_BYTES_MAX)] | None = None
    """Size of a payload of random letters and digits; excludes ``payload_text``."""

    binary: bool = False
    """Whether messages are binary instead of text."""

    frames_per_write: Literal["many", "one"]
    deflate: bool = False
    """
    Whether the server accepts permessage-deflate. Clients offer it if their library
    does so by default: docs/contract.md, 2.3.
    """

    tls: bool = False

    @model_validator(mode="after")
    def _has_payload(self) -> Self:
        # If sizes are swept, each point has a size.
        is_given = (self.payload_text is None) != (self.payload_bytes is None)
        if not is_given and "payload_bytes" not in self.sweep:
            raise ValueError("give payload_text or payload_bytes")
        if self.slices and not self.seconds:
            raise ValueError("slices: needs seconds, which it divides; set them")
        return self

    @property
    def slice_count(self) -> int:
        """Number of slices; 0 if the messages end the push."""
        return self.slices or int(self.seconds > 0)

    @property
    def why_only_engine_serves(self) -> str:
        """Why the server must be the engine: docs/published.md, 4."""
        is_text = self.payload_text is not None and not self.binary
        if is_text and not (self.seconds or self.deflate or self.tls):
            return "" if self.frames_per_write == "one" else "it pushes many frames"
        return "it has seconds, deflate, tls, binary or payload_bytes"

    @property
    def description(self) -> str:
        sent = f"{self.messages:,} messages over one connection"
        if self.slice_count:
            slice_s = f"{self.seconds / self.slice_count:.2g} s"
            sent += f", then in {self.slice_count} slices of {slice_s}"
        accepted = " as the socket accepts" if self.frames_per_write == "many" else ""
        frames = "as many frames" if accepted else "one frame"
        sent += f", {frames} per system call{accepted}"
        sent += "; compression is granted to clients that offer it" * self.deflate
        return f"{sent}."

    @property
    def payload(self) -> bytes:
        """Payload of each message."""
        if self.payload_text is not None:
            return self.payload_text.encode()
        assert self.payload_bytes, "a point has a text or a size"
        return payload_of(self.payload_bytes)

    @property
    def is_compressed(self) -> bool:
        return self.deflate

    @property
    def is_over_tls(self) -> bool:
        return self.tls

    @property
    def required_protocol(self) -> Protocol | None:
        """Return WebSocket, because the server encodes its frames in advance."""
        return "websocket"

    @property
    def published_roles(self) -> frozenset[EndName]:
        """Return the role of the server: only published ones push."""
        return frozenset({"server"})

    @property
    def server_claims(self) -> tuple[str, ...]:
        """Keys of ``[published.server]`` that a contestant's manifest must set."""
        return ("push",)

    @property
    def duration_s(self) -> float:
        """Minimum duration in seconds; 0 if the contestant determines it."""
        return self.seconds + self.warm_up_s if self.seconds else 0

    def without_slices(self) -> Self:
        return self.model_copy(update={"slices": None, "seconds": 0.0})

    @property
    def slice_plan(self) -> SlicePlan | None:
        if not self.slice_count:
            return None
        return SlicePlan(
            driver="server",
            warm_up_s=self.warm_up_s,
            rounds=self.slice_count,
            slice_s=self.seconds / self.slice_count,
            drain_s=PONG_S_MAX,
            first_messages=self.messages,
        )

    def warmed_up(self, warm_up_s: float) -> Self:
        if not self.seconds or warm_up_s <= self.warm_up_s:
            return self
        return self.model_copy(update={"warm_up_s": warm_up_s})

    @property
    def conditions(self) -> str:
        """How the server writes, and whether it compresses."""
        frames = "many frames" if self.frames_per_write == "many" else "one frame"
        compression = ", compression granted" if self.deflate else ""
        return f"{frames} per system call{compression}"

    def ranking_metric(self, medians: Sequence[Mapping[str, float]]) -> str:
        """Return the rate by CPU time in slices, else the cold time, or the rate."""
        measured = {name for median in medians for name in median}
        ranked = (PER_CPU, *reversed(COLD_METRICS.values()))
        return next(
            (metric for metric in ranked if metric in measured), "messages_per_s"
        )

    def server(self, setup: Setup, port: int) -> Configuration:
        """
        Configure a server; the engine waits for the list of processes to observe.

        A contestant's server runs until it is ended: docs/published.md, 4.
        """
        plan = serve_plan(
            listen=f"{setup.address}:{port}",
            push={
                "payload": self._payload_plan(),
                "frames_per_write": self.frames_per_write,
                "pings": {
                    "after": ping_positions(
                        self.messages, server_closes=self.seconds > 0
                    ),
                    "every_ms": PONG_MS,
                },
            },
            slices=True if self.seconds else None,
            connections=1,
            hold_until_observing=True,
            congestion_control=setup.congestion_control,
            compression={} if self.deflate else None,
            tls=setup.tls,
        )
        environment = None
        if self.payload_text is not None and not self.why_only_engine_serves:
            environment = {"PUSH": self.payload_text}
        return Configuration(
            plan=plan, environment=environment, has_contestant_result=False
        )

    def client(self, setup: Setup, port: int) -> Configuration:
        """Configure a client: docs/contract.md, section 3."""
        path = f"/{self.messages}"
        messages = UNREACHED if self.seconds else self.messages
        url = url_of(
            "websocket", port, path, is_over_tls=self.tls, address=setup.address
        )
        plan = load_plan(
            url=url,
            workload={
                "kind": "receive",
                "messages": messages,
                "payload": self._payload_plan(),
            },
            limit_s=START_S_MAX
            if self.seconds
            else max(1, round(self.time_limit_s(setup.limit_s))),
            compression={} if self.deflate else None,
            tls=setup.tls,
        )
        environment = {
            "URL": url,
            **({} if self.seconds else {"MESSAGES": str(self.messages)}),
            **({"COMPRESSION": "deflate"} if self.deflate else {}),
        }
        return Configuration(plan=plan, environment=environment)

    def _payload_plan(self) -> dict[str, str]:
        if self.binary:
            return {"base64": b64encode(self.payload).decode()}
        return {"text": self.payload.decode()}

    def window(self, reports: Reports) -> Window:
        """
        Return the time from the first byte sent to the receipt of the closing frame.

        If the server is a contestant, it is the time from the opening of the connection
        to the last message, as the client reports.

        Raises:
            TimedOut: the server has no result.
            Miscounted: it has none because the client never opened its connection.
        """
        if self.seconds and not reports.servers[0].served:
            raise Miscounted("has exited, but the server saw no connection")
        if not reports.servers:
            (client,) = reports.clients
            duration = client.ended_ns - client.opened_ns
            return Window(start_ns=client.opened_ns, duration_ns=max(1, duration))
        served = _serve_result(reports)
        return Window(
            start_ns=served.first_sent_ns, duration_ns=max(1, duration_ns(served))
        )

    def evaluate(self, reports: Reports, observed: WindowObservation) -> Measurement:
        (client,) = reports.clients
        if not reports.servers:
            return self._of_contestants(client, observed)
        served = _serve_result(reports)
        if self.seconds:
            expect_slices(served, observed, self.slice_count)
        self._compare(client, served)
        if self.seconds:
            return sliced_measurement(served, observed, payload_bytes=len(self.payload))
        window_ns = duration_ns(served)
        observation = observed.observation
        rate = push_rate(served, client_ended_ns=client.ended_ns)
        totals = _totals(served, observation, window_ns)
        server_end = TrialEnd(
            process="server",
            is_engine=True,
            cpus=observed.ends["server"].cpus,
            utilization=working_ns(served) / window_ns,
        )
        client_end = TrialEnd(
            process="client",
            is_engine=observed.ends["client"].is_engine,
            cpus=observed.ends["client"].cpus,
        )
        return Measurement(
            messages=served.messages,
            payload_bytes=served.bytes,
            duration_ns=window_ns,
            client_duration_ns=client.ended_ns - client.opened_ns,
            server_utilization=served.busy_ns / window_ns,
            server_blocked_share=served.blocked_ns / window_ns,
            client_utilization=totals["client"].cpu_ns / window_ns,
            congestion_control=served.congestion_control,
            processes=tuple(totals.values()),
            ends=(
                end_evidence(client_end, totals["client"], observation, window_ns),
                end_evidence(server_end, totals["server"], observation, window_ns),
            ),
            metrics=(
                MetricValue(
                    process="server", metric="wire_bytes", value=served.wire_bytes
                ),
                MetricValue(
                    process="server", metric="write_calls", value=served.write_calls
                ),
                *rate.metrics,
            ),
            violation=rate.obstacle,
            marks=marks_of(served),
            seconds=(
                *self._series("client", client.seconds, client.messages),
                *self._series("server", reports.servers[0].seconds, served.messages),
            ),
        )

    def _of_contestants(
        self, client: ClientReport, observed: WindowObservation
    ) -> Measurement:
        """
        Return the measurement of a push whose server is a contestant.

        Raises:
            Miscounted: not all messages arrived, or some have a wrong content.
        """
        if client.messages != self.messages or client.wrong:
            raise Miscounted(
                f"was asked for {self.messages:,} messages; its client counted "
                f"{client.messages:,}, {client.wrong:,} of them wrong",
                process="server",
            )
        window_ns, observation = observed.window.duration_ns, observed.observation
        totals = {
            name: total_from_samples(name, observation, window_ns) for name in _ENDS
        }
        ends = {
            name: end_evidence(
                TrialEnd(
                    process=name,
                    is_engine=observed.ends[name].is_engine,
                    cpus=observed.ends[name].cpus,
                    utilization=utilization(client.load)
                    if client.load and name == "client"
                    else None,
                ),
                totals[name],
                observation,
                window_ns,
            )
            for name in _ENDS
        }
        return Measurement(
            messages=client.messages,
            payload_bytes=client.messages * len(self.payload),
            duration_ns=window_ns,
            client_duration_ns=window_ns,
            server_utilization=ends["server"].cpu_cores,
            client_utilization=ends["client"].cpu_cores,
            congestion_control="of the contestant",
            processes=tuple(total for total in totals.values() if total),
            ends=(ends["client"], ends["server"]),
            seconds=tuple(self._series("client", client.seconds, client.messages)),
            metrics=(
                (MetricValue(process="client", metric=cold, value=window_ns / 1e6),)
                if (cold := COLD_METRICS.get(client.messages))
                else ()
            ),
        )

    def _compare(self, client: ClientReport, served: ServeResult) -> None:
        expect_agreement(
            client,
            served,
            messages=self.messages,
            is_divided=self.seconds > 0,
            is_over_tls=self.tls,
        )

    def _series(
        self, process: str, seconds: Sequence[SecondReport], messages: int
    ) -> list[SecondRow]:
        """Return a time series with payload bytes, which clients do not report."""
        size = len(self.payload)
        sized = [
            second.model_copy(update={"bytes": second.messages * size})
            for second in seconds
        ]
        return whole_series(process, sized, messages, messages * size)


def _totals(
    served: ServeResult, observation: Observation, window_ns: int
) -> dict[str, ProcessTotal]:
    """
    Return what each process used, by the engine's readings at both ends of the window.

    A client may end so soon after its connection that it cannot be read any more. Its
    samples then tell nearly the same.

    Raises:
        Crashed: a process has neither readings nor samples.
    """
    totals = {
        name: ProcessTotal(process=name, **each.model_dump())
        for name, each in served.processes.items()
    }
    for name in _ENDS:
        if name not in totals:
            total = total_from_samples(name, observation, window_ns)
            if total is None:
                raise Crashed("was gone before its connection was closed")
            totals[name] = total
    return totals


def _serve_result(reports: Reports) -> ServeResult:
    """
    Return the server's result for the client's connection.

    Raises:
        TimedOut: the server has no result.
    """
    (server,) = reports.servers
    if not server.served:
        raise TimedOut("was still running at its time limit")
    return server.served[0]


_ENDS: tuple[EndName, ...] = ("client", "server")
