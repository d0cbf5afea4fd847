"""Starts a feed once all subscribers have joined: docs/published.md, clause 1.2."""

from __future__ import annotations

import asyncio
import os
import traceback
from typing import TYPE_CHECKING, Any

from .feeding import Feed

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from .feeding import Sleep
    from .settings import FeedSettings


class Subscribers:
    """
    The subscribers and their feed; serves one group after the other.

    Once all have joined, ``publish`` is called with the feed, as a task of the running
    loop. It must send each message to the subscribers and then close them. For an event
    loop other than asyncio's, pass a ``run`` that schedules a coroutine, without
    starting it at once, and a ``sleep``.
    """

    def __init__(
        self,
        settings: FeedSettings,
        publish: Callable[[Feed], Coroutine[Any, Any, None]],
        *,
        run: Callable[[Coroutine[Any, Any, None]], Any] = asyncio.ensure_future,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._publish = publish
        self._run = run
        self._sleep = sleep
        self._subscribed: list[Any] = []
        self._feed: Feed | None = None
        # A loop may keep only weak references to its tasks.
        self._running: dict[Feed, Any] = {}

    def join(self, subscriber: Any) -> list[Any]:
        """
        Add a subscriber; the last one starts the feed. Return its group.

        Remove the subscriber from the group when it is gone.
        """
        if self._feed is not None and self._feed.is_over:
            self._feed, self._subscribed = None, []
        subscribed = self._subscribed
        subscribed.append(subscriber)
        if self._feed is None and len(subscribed) == self._settings.subscribers:
            self._feed = feed = Feed(self._settings, subscribed, sleep=self._sleep)
            self._running[feed] = self._run(self._send(feed))
        return subscribed

    async def _send(self, feed: Feed) -> None:
        try:
            await self._publish(feed)
        except Exception:
            # A feed that has stopped must not look like a slow one.
            traceback.print_exc()
            os._exit(1)
        del self._running[feed]
