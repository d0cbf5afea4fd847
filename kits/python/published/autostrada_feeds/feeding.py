"""Sends one feed on schedule and prints its lines: docs/published.md, section 1."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from .settings import FeedSettings

    # An event loop's function: an awaitable that takes a number of seconds.
    Sleep = Callable[[float], Awaitable[Any]]

SECOND_NS = 1_000_000_000


class Feed:
    """
    One feed for one group of subscribers, from its first message to its last.

    Iterate over it with ``async for`` in a task, and send each message to all
    subscribers. The iteration waits until each message is due.
    """

    def __init__(
        self,
        settings: FeedSettings,
        subscribed: list[Any],
        *,
        sleep: Sleep = asyncio.sleep,
        clock: Callable[[], int] = time.monotonic_ns,
        output: TextIO | None = None,
    ) -> None:
        self.is_paced = settings.is_paced
        self.is_over = False
        self._settings = settings
        self._subscribed = subscribed
        self._sleep = sleep
        self._clock = clock
        self._output = output or sys.stdout
        self._start_ns = clock()
        self._number = 0
        self._messages = self._bytes = 0
        # State at the last printed line.
        self._seconds = self._printed_messages = self._printed_bytes = 0

    @property
    def subscribed(self) -> list[Any]:
        """Recipients of the next message, as a copy."""
        return list(self._subscribed)

    async def __aiter__(self) -> AsyncIterator[str | bytes]:
        while (wait_ns := self.wait_ns()) is not None:
            if wait_ns > 0:
                await self._sleep(wait_ns / SECOND_NS)
            else:
                yield self.next_message()
                if self._number % self._settings.turn_messages == 0:
                    await self._sleep(0)
        self.finish()

    def wait_ns(self) -> int | None:
        """
        Return how long to wait, in nanoseconds.

        0: a message is due. None: the feed is over.
        """
        now_ns = self._clock()
        self._print_seconds(now_ns)
        due_ns = self._due_ns(now_ns)
        is_over = due_ns <= now_ns and not self._is_left(due_ns)
        if is_over or not self._subscribed:
            return None
        next_second_ns = self._start_ns + (self._seconds + 1) * SECOND_NS
        return max(0, min(due_ns, next_second_ns) - now_ns)

    def next_message(self) -> str | bytes:
        """Return the message that is due and count it once per subscriber."""
        number = self._number
        every_ns = self._settings.every_ns
        stocks = self._settings.stocks_of_message(number)
        time_ns = (
            self._clock() if every_ns is None else self._start_ns + number * every_ns
        )
        message = self._settings.format.encode(number, time_ns, stocks)
        self._number += 1
        self._messages += len(self._subscribed)
        self._bytes += len(message) * len(self._subscribed)
        return message

    def finish(self) -> None:
        """Print the result line."""
        self.is_over = True
        self._print(event="result", messages=self._messages, bytes=self._bytes)

    def _due_ns(self, now_ns: int) -> int:
        """
        Return when the next message is due.

        After the last message, this is when the feed ends.
        """
        every_ns = self._settings.every_ns
        return now_ns if every_ns is None else self._start_ns + self._number * every_ns

    def _is_left(self, due_ns: int) -> bool:
        messages = self._settings.messages
        if messages is not None and self._number >= messages:
            return False
        duration_ns = self._settings.duration_ns
        return duration_ns is None or due_ns < self._start_ns + duration_ns

    def _print_seconds(self, until_ns: int) -> None:
        while until_ns >= self._start_ns + (self._seconds + 1) * SECOND_NS:
            self._print(
                event="second",
                second=self._seconds,
                messages=self._messages - self._printed_messages,
                bytes=self._bytes - self._printed_bytes,
            )
            self._seconds += 1
            self._printed_messages, self._printed_bytes = self._messages, self._bytes

    def _print(self, **event: Any) -> None:
        line = json.dumps(event, separators=(",", ":"))
        print(line, file=self._output, flush=True)
