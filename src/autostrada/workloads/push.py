"""A push: the engine sends so many messages as fast as one client takes them."""

import random
from base64 import b64encode
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_letters, digits
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from autostrada.engine.messages import ServeResult
from autostrada.engine.plans import ADDRESS, Protocol, load_plan, serve_plan, url_of
from autostrada.errors import ClosedEarly, Crashed, Disagreed, Miscounted, TimedOut
from autostrada.evidence.ends import Part, end_evidence
from autostrada.evidence.results import duration_ns, working_ns
from autostrada.store.record import Figure, Measurement, ProcessTotal, Second
from autostrada.workloads.report import (
    ClientReport,
    Configuration,
    Observed,
    Reports,
    SecondReport,
    Setup,
    Window,
    whole_series,
)
from autostrada.workloads.workload import Count, Workload

DISAGREEMENT_SHARE_MAX = 0.02
DISAGREEMENT_NS_MIN = 10_000_000
"""Below it, a few time slices of the scheduler are all the difference."""

PAYLOAD_BYTES_MAX = 16 * 1024 * 1024
"""The largest message of the engine."""


class Push(Workload):
    """The engine's server sends so many messages as fast as the client takes them."""

    client_role: ClassVar[str | None] = "receive"
    can_contestants_serve: ClassVar[bool] = False
    sweepable: ClassVar[frozenset[str]] = frozenset({"payload_bytes"})

    kind: Literal["push"]
    messages: Count
    payload_text: str | None = None
    """The payload of each message; either this or its size."""

    payload_bytes: Annotated[int, Field(gt=0, le=PAYLOAD_BYTES_MAX)] | None = None
    """The size of a payload of letters and digits that do not repeat."""

    binary: bool = False
    """Whether messages are binary; else they are text."""

    frames_per_write: Literal["many", "one"]
    deflate: bool = False
    """
    The server grants permessage-deflate, and those clients offer it whose libraries do
    so of themselves: docs/contract.md, clause 3.6.
    """

    @model_validator(mode="after")
    def _has_payload(self) -> Self:
        # Where sizes are swept, each point has one.
        is_given = (self.payload_text is None) != (self.payload_bytes is None)
        if not is_given and "payload_bytes" not in self.sweep:
            raise ValueError("give payload_text or payload_bytes")
        return self

    @property
    def payload(self) -> bytes:
        """The payload of each message."""
        if self.payload_text is not None:
            return self.payload_text.encode()
        assert self.payload_bytes, "a point has a text or a size"
        return payload_of(self.payload_bytes)

    @property
    def is_compressed(self) -> bool:
        """Whether it is about clients that compress."""
        return self.deflate

    @property
    def required_protocol(self) -> Protocol | None:
        """WebSocket: the server encodes its frames in advance."""
        return "websocket"

    def server(self, setup: Setup, port: int) -> Configuration:
        """Configure the engine; it answers when it knows whom to observe."""
        plan = serve_plan(
            listen=f"{ADDRESS}:{port}",
            push={
                "payload": self._payload_plan(),
                "frames_per_write": self.frames_per_write,
            },
            connections=1,
            hold_until_observing=True,
            congestion_control=setup.congestion_control,
            compression={} if self.deflate else None,
        )
        return Configuration(plan=plan, environment=None)

    def client(self, setup: Setup, port: int) -> Configuration:
        """Configure a client: docs/contract.md, section 3."""
        path = f"/{self.messages}"
        url = url_of("websocket", port, path, is_over_tls=False)
        plan = load_plan(
            url=url,
            workload={
                "kind": "receive",
                "messages": self.messages,
                "payload": self._payload_plan(),
            },
            limit_s=max(1, round(setup.limit_s)),
            compression={} if self.deflate else None,
        )
        environment = {
            "URL": url,
            "MESSAGES": str(self.messages),
            "CONNECTIONS": "1",
            **({"COMPRESSION": "deflate"} if self.deflate else {}),
        }
        return Configuration(plan=plan, environment=environment)

    def _payload_plan(self) -> dict[str, str]:
        if self.binary:
            return {"base64": b64encode(self.payload).decode()}
        return {"text": self.payload.decode()}

    def window(self, reports: Reports) -> Window:
        """Return the time from the first byte until the closing frame had come."""
        served = _served(reports)
        return Window(
            start_ns=served.first_sent_ns, duration_ns=max(1, duration_ns(served))
        )

    def judge(self, reports: Reports, observed: Observed) -> Measurement:
        """
        Compare what the client reports with what the server saw, and measure.

        Raises:
            ContestantError: they disagree, or the client did not take everything.
        """
        (client,), served = reports.clients, _served(reports)
        self._compare(client, served)
        window_ns = duration_ns(served)
        seen = observed.observation
        totals = {
            name: ProcessTotal(process=name, **each.model_dump())
            for name, each in served.processes.items()
        }
        server_part = Part(
            process="server",
            is_engine=True,
            cpus=observed.ends["server"].cpus,
            busy_share=working_ns(served) / window_ns,
        )
        client_part = Part(
            process="client",
            is_engine=observed.ends["client"].is_engine,
            cpus=observed.ends["client"].cpus,
        )
        return Measurement(
            messages=self.messages,
            payload_bytes=served.bytes,
            duration_ns=window_ns,
            client_duration_ns=client.ended_ns - client.opened_ns,
            server_busy_share=served.busy_ns / window_ns,
            server_blocked_share=served.blocked_ns / window_ns,
            client_busy_share=served.processes["client"].cpu_ns / window_ns,
            congestion_control=served.congestion_control,
            processes=tuple(totals.values()),
            ends=(
                end_evidence(client_part, totals["client"], seen, window_ns),
                end_evidence(server_part, totals["server"], seen, window_ns),
            ),
            figures=(
                Figure(process="server", figure="wire_bytes", value=served.wire_bytes),
                Figure(
                    process="server", figure="write_calls", value=served.write_calls
                ),
            ),
            seconds=(
                *self._series("client", client.seconds, client.messages),
                *self._series("server", reports.servers[0].seconds, served.messages),
            ),
        )

    def _series(
        self, process: str, seconds: Sequence[SecondReport], messages: int
    ) -> list[Second]:
        """Return a series with the bytes of messages, which clients do not count."""
        size = len(self.payload)
        sized = [
            each.model_copy(update={"bytes": each.messages * size}) for each in seconds
        ]
        return whole_series(process, sized, messages, messages * size)

    def _compare(self, client: ClientReport, server: ServeResult) -> None:
        """
        Refuse what does not agree with the plan, or with the other end.

        Raises:
            ContestantError: how it differs.
        """
        if server.ended == "complete" and server.messages != self.messages:
            raise Miscounted(
                f"asked for {server.messages:,} messages instead of "
                f"{self.messages:,}; it counted {client.messages:,}"
            )
        if server.ended != "complete":
            raise ClosedEarly(
                f"{_HOW_THE_CONNECTION_ENDED[server.ended]} when "
                f"{server.messages:,} of {self.messages:,} messages were sent; "
                f"it counted {client.messages:,}"
            )
        if client.messages != self.messages:
            raise Miscounted(
                f"counted {client.messages:,} messages; {self.messages:,} were sent"
            )
        if client.wrong:
            raise Miscounted(f"{client.wrong:,} messages were not what was sent")
        if (server.acknowledged_bytes or 0) < server.wire_bytes:
            raise Miscounted(
                f"its kernel acknowledged {server.acknowledged_bytes:,} of "
                f"{server.wire_bytes:,} bytes"
            )
        _compare_clocks(client, server)
        if set(server.processes) != {"client", "server"}:
            raise Crashed("was gone before its connection was closed")


@lru_cache(maxsize=1)
def payload_of(size: int) -> bytes:
    """Return so many letters and digits, the same ones each time."""
    return "".join(random.Random(0).choices(ascii_letters + digits, k=size)).encode()


def _compare_clocks(client: ClientReport, server: ServeResult) -> None:
    """
    Refuse a client whose end is another than the server's.

    Its beginning does not compare: a library may announce late that it is open.

    Raises:
        Disagreed: they differ by too much.
    """
    server_ns, client_ns = duration_ns(server), client.ended_ns - client.opened_ns
    early_ns = server.closed_ns - client.ended_ns
    tolerated_ns = max(DISAGREEMENT_NS_MIN, DISAGREEMENT_SHARE_MAX * server_ns)
    if abs(early_ns) > tolerated_ns or client_ns < 0:
        raise Disagreed(
            f"says {client_ns / 1e6:,.1f} ms, to an end "
            f"{abs(early_ns) / 1e6:,.1f} ms {'before' if early_ns > 0 else 'after'} "
            f"the one of {server_ns / 1e6:,.1f} ms by the engine's clock"
        )


def _served(reports: Reports) -> ServeResult:
    """
    Return what the server saw of the client's connection.

    Raises:
        TimedOut: it has seen nothing by its end.
    """
    (server,) = reports.servers
    if not server.served:
        raise TimedOut("was still running when its time was over")
    return server.served[0]


_HOW_THE_CONNECTION_ENDED = {
    "closed": "closed the connection",
    "reset": "broke the connection",
    "violation": "broke the protocol",
}
