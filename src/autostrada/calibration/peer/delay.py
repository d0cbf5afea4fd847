"""Makes a peer slow on purpose, by CPU work or by sleep for each message."""

import asyncio
import time
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Slowness:
    """The artificial cost of each message, in addition to the library's own."""

    burn_us: float = 0.0
    """CPU time per message, in microseconds."""

    rest_ms: float = 0.0
    """Sleep per message, in milliseconds."""

    async def apply(self) -> None:
        """Spend the cost of one message."""
        until_ns = time.thread_time_ns() + round(self.burn_us * 1000)
        while time.thread_time_ns() < until_ns:
            pass
        if self.rest_ms:
            await asyncio.sleep(self.rest_ms / 1000)
