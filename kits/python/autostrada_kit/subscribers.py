"""Starts a feed once all subscribers have joined: contract, clauses 8.5 and 8.8."""

from __future__ import annotations

import asyncio
import os
import threading
import traceback
from contextlib import contextmanager, suppress
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any

from .feeding import Feed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

    from .feeding import Sleep
    from .serving import FeedSettings

QUEUE_LENGTH = 16
"""Messages of a paced feed that may wait for a subscriber's thread or task."""


class Subscription:
    """The subscribers and their feed; serves one group after the other."""

    def __init__(
        self,
        settings: FeedSettings | None,
        start: Callable[[Feed], None],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._start = start
        self._sleep = sleep
        self._subscribed: list[Any] = []
        self._feed: Feed | None = None

    @property
    def is_paced(self) -> bool:
        """Whether the slowest subscriber limits the send rate."""
        return self._settings is not None and self._settings.is_paced

    def join(self, subscriber: Any) -> list[Any]:
        """Add a subscriber; the last one starts the feed. Return its group."""
        if self._settings is None:
            raise ValueError("there is no feed: set FEED in the environment")
        if self._feed is not None and self._feed.is_over:
            self._feed, self._subscribed = None, []
        subscribed = self._subscribed
        subscribed.append(subscriber)
        if self._feed is None and len(subscribed) == self._settings.subscribers:
            self._feed = Feed(self._settings, subscribed, sleep=self._sleep)
            self._start(self._feed)
        return subscribed


class Subscribers:
    """
    Subscribers in an event loop.

    Once all have joined, ``publish`` is called with the feed, as a task of the running
    loop. It must send each message to the subscribers and then close them. For an event
    loop other than asyncio's, pass a ``run`` that schedules a coroutine, without
    starting it at once, and a ``sleep``.
    """

    def __init__(
        self,
        settings: FeedSettings | None,
        publish: Callable[[Feed], Coroutine[Any, Any, None]],
        *,
        run: Callable[[Coroutine[Any, Any, None]], Any] = asyncio.ensure_future,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._subscription = Subscription(settings, self._start, sleep)
        self._publish = publish
        self._run = run
        # A loop may keep only weak references to its tasks.
        self._running: dict[Feed, Any] = {}

    def join(self, subscriber: Any) -> list[Any]:
        """Add a subscriber. Remove it from the returned list when it is gone."""
        return self._subscription.join(subscriber)

    @contextmanager
    def joined(self, subscriber: Any) -> Iterator[None]:
        """Add a subscriber for the duration of the block."""
        subscribed = self.join(subscriber)
        try:
            yield
        finally:
            with suppress(ValueError):
                subscribed.remove(subscriber)

    def _start(self, feed: Feed) -> None:
        async def publish() -> None:
            try:
                await self._publish(feed)
            except Exception:
                end_with_traceback()
            del self._running[feed]

        self._running[feed] = self._run(publish())


class QueuedSubscribers(Subscribers):
    """Subscribers in an event loop that each have a task and a queue."""

    def __init__(self, settings: FeedSettings | None) -> None:
        super().__init__(settings, self._hand_out)

    async def messages(self) -> AsyncIterator[str | bytes]:
        """Join and yield each message when it is due, until the feed ends."""
        length = QUEUE_LENGTH if self._subscription.is_paced else 0
        waiting: asyncio.Queue[str | bytes | None] = asyncio.Queue(length)
        with self.joined(waiting):
            try:
                while (message := await waiting.get()) is not None:
                    yield message
            finally:
                # The feed may be waiting for room in this queue.
                while not waiting.empty():
                    waiting.get_nowait()

    async def _hand_out(self, feed: Feed) -> None:
        async for message in feed:
            for subscriber in feed.subscribed:
                await subscriber.put(message)
        for subscriber in feed.subscribed:
            await subscriber.put(None)


class ThreadedSubscribers:
    """Subscribers that each have a thread, which sends to the connection."""

    def __init__(self, settings: FeedSettings | None) -> None:
        self._subscription = Subscription(settings, self._start)
        self._lock = threading.Lock()

    def messages(self) -> Iterator[str | bytes]:
        """Join and yield each message when it is due, until the feed ends."""
        length = QUEUE_LENGTH if self._subscription.is_paced else 0
        waiting: Queue[str | bytes | None] = Queue(length)
        with self._lock:
            subscribed = self._subscription.join(waiting)
        try:
            while (message := waiting.get()) is not None:
                yield message
        finally:
            with self._lock, suppress(ValueError):
                subscribed.remove(waiting)
            # The feed may be waiting for room in this queue.
            with suppress(Empty):
                while True:
                    waiting.get_nowait()

    def _start(self, feed: Feed) -> None:
        def publish() -> None:
            try:
                for message in feed:
                    for subscriber in feed.subscribed:
                        subscriber.put(message)
                for subscriber in feed.subscribed:
                    subscriber.put(None)
            except Exception:
                end_with_traceback()

        threading.Thread(target=publish, daemon=True).start()


def end_with_traceback() -> None:
    """End the program: a feed that has stopped must not look like a slow one."""
    traceback.print_exc()
    os._exit(1)
