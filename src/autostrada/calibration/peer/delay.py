"""How a peer is made slow on purpose: by work, or by rest, at each message."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Slowness:
    """What each message costs, beside what the library makes of it."""

    burn_us: float = 0.0
    """So long the CPU is kept busy."""

    rest_ms: float = 0.0
    """So long nothing is done, nor used."""

    @classmethod
    def of(cls, plan: Mapping[str, Any]) -> "Slowness":
        """Return the ``slowness`` of a peer's plan, which may have none."""
        return cls(**plan.get("slowness", {}))

    async def apply(self) -> None:
        """Be as slow as one message makes it."""
        until_ns = time.thread_time_ns() + round(self.burn_us * 1000)
        while time.thread_time_ns() < until_ns:
            pass
        if self.rest_ms:
            await asyncio.sleep(self.rest_ms / 1000)
