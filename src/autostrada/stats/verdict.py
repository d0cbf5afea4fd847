"""What limited a cell: the server, the client, both, or nobody can tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

BUSY_SHARE_MIN = 0.9
"""From here on a process counts as busy all the time: what is left is noise."""

IDLE_SHARE_MIN = 0.5
"""A server idle so much could have sent twice as much: it is not the limit."""


class Limit(StrEnum):
    """Who held a cell back."""

    SERVER = "server"
    """The server was busy all the time: the contestant may be faster than shown."""

    CLIENT = "client"
    """The server was idle half of the time, and the client busy or not reading."""

    BOTH = "both"
    """The client was busy all the time, the server too much to be ruled out."""

    UNCLEAR = "unclear"
    """Neither explains the figure: a third party held both back, or they took turns."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    """How busy both ends of one trial were, as shares of its duration."""

    server_busy_share: float
    server_blocked_share: float
    client_busy_share: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """Who was the limit, and the median shares that say so."""

    limit: Limit
    load: Load

    @property
    def is_lower_bound(self) -> bool:
        """Whether the contestant's rate may be higher than the one measured."""
        return self.limit is Limit.SERVER

    @property
    def evidence(self) -> str:
        """Say in one sentence what the verdict rests on."""
        return (
            f"The server was busy {self.load.server_busy_share:.0%} of the time and "
            f"waited for the client {self.load.server_blocked_share:.0%}; the client "
            f"used {self.load.client_busy_share:.0%} of a core."
        )


def judge(loads: Sequence[Load]) -> Verdict:
    """
    Judge a cell by the medians of its trials' shares.

    ====================  ===============================================  =======
    server busy           and the client                                   limit
    ====================  ===============================================  =======
    at least 90 %         whatever it did                                  server
    50 to 90 %            busy at least 90 %                               both
    50 to 90 %            less busy                                        unclear
    at most 50 %          busy at least 90 %, or let the server wait for   client
                          room in the socket at least 50 % of the time
    at most 50 %          neither                                          unclear
    ====================  ===============================================  =======
    """
    assert loads, "no trials"
    load = Load(
        server_busy_share=median(load.server_busy_share for load in loads),
        server_blocked_share=median(load.server_blocked_share for load in loads),
        client_busy_share=median(load.client_busy_share for load in loads),
    )
    is_client_busy = load.client_busy_share >= BUSY_SHARE_MIN
    is_client_full = load.server_blocked_share >= IDLE_SHARE_MIN
    if load.server_busy_share >= BUSY_SHARE_MIN:
        limit = Limit.SERVER
    elif load.server_busy_share <= 1 - IDLE_SHARE_MIN:
        limit = Limit.CLIENT if is_client_busy or is_client_full else Limit.UNCLEAR
    else:
        limit = Limit.BOTH if is_client_busy else Limit.UNCLEAR
    return Verdict(limit=limit, load=load)
