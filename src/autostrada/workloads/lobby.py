"""A feed that the server of an echo broadcasts beside its answers: a game's lobby."""

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from autostrada.workloads.feed import Feed
from autostrada.workloads.report import ClientReport, Window
from autostrada.workloads.workload import Count

MARGIN_S = 5.0
"""Time in seconds that the feed lasts beyond the echo's plan, because both open their
connections independently."""


class Lobby(BaseModel):
    """The parameters of the feed; each connection of the echo has one subscriber."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    feed: Literal["sequence", "clock", "stocks"] = "stocks"
    encoding: Literal["json", "binary"] = "json"
    every_ms: float = Field(default=1000.0, gt=0)
    stocks: Count = 1
    """Number of records in each message of the feed ``stocks``."""

    def beside(self, *, connections: int, planned_s: float, tls: bool) -> Feed:
        """Return the feed as a workload that lasts longer than ``planned_s``."""
        return Feed(
            name="lobby",
            kind="feed",
            feed=self.feed,
            encoding=self.encoding,
            seconds=planned_s + MARGIN_S,
            every_ms=self.every_ms,
            stocks=self.stocks,
            connections=connections,
            tls=tls,
        )

    def faults(
        self, client: ClientReport, window: Window, connections: int
    ) -> Iterator[str]:
        """Yield what the subscribers, which are one client process, lacked."""
        if client.connections < connections:
            lacking = connections - client.connections
            yield f"{lacking:,} subscribers of the lobby never connected"
        if client.wrong:
            yield f"{client.wrong:,} messages of the lobby were wrong"
        # The last message may be up to an interval before the end, and late.
        if client.ended_ns + 2e6 * self.every_ms < window.end_ns:
            yield "the lobby ended before the window was over"
