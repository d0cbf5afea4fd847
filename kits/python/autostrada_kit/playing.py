"""Has a bot send when it is due: as tasks of an event loop, or on two threads."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTimeError
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .bots import Bot

SECOND_NS = 1_000_000_000


async def play(
    bot: Bot,
    send: Callable[[str], Awaitable[Any]],
    receive: Callable[[], Awaitable[str | bytes]] | None = None,
) -> None:
    """
    Send all events when they are due, take the answers; raise what these raise.

    Without ``receive``, ``answered`` is called by what the library calls.
    """
    await asyncio.shield(asyncio.wrap_future(bot.begun))
    left_s = (bot.drained_ns - bot.clock()) / SECOND_NS
    limit = asyncio.timeout(left_s)
    try:
        async with limit:
            await asyncio.gather(_send(bot, send), _receive(bot, receive))
    except TimeoutError:
        if not limit.expired():
            raise


async def _send(bot: Bot, send: Callable[[str], Awaitable[Any]]) -> None:
    while (due_ns := bot.next_due_ns()) is not None:
        await asyncio.sleep(max(0, due_ns - bot.clock()) / SECOND_NS)
        await send(bot.next_event())


async def _receive(
    bot: Bot, receive: Callable[[], Awaitable[str | bytes]] | None
) -> None:
    if receive is None and not bot.is_over:
        await asyncio.shield(asyncio.wrap_future(bot.over))
    while receive is not None and not bot.is_over:
        bot.answered(await receive())


def play_on_threads(
    bot: Bot,
    send: Callable[[str], Any],
    receive: Callable[[], str | bytes] | None = None,
) -> None:
    """Do the same with blocking calls: send here, receive on another thread."""
    bot.begun.result()
    drained = bot.over if receive is None else _receive_on_thread(bot, receive)
    while (due_ns := bot.next_due_ns()) is not None:
        time.sleep(max(0, due_ns - bot.clock()) / SECOND_NS)
        send(bot.next_event())
    if receive is None and bot.is_over:
        return  # Of a bot that has sent nothing, nothing is answered.
    with suppress(NotInTimeError):
        drained.result(max(0, bot.drained_ns - bot.clock()) / SECOND_NS)


def _receive_on_thread(bot: Bot, receive: Callable[[], str | bytes]) -> Future[None]:
    drained: Future[None] = Future()

    def take_answers() -> None:
        try:
            while not bot.is_over:
                bot.answered(receive())
        except Exception as error:
            drained.set_exception(error)
        else:
            drained.set_result(None)

    Thread(target=take_answers, daemon=True).start()
    return drained
