"""An event loop in a thread, which runs a peer while a test uses the engine."""

import asyncio
import threading
from concurrent.futures import Future
from contextlib import contextmanager

LIMIT_S = 120


@contextmanager
def in_background(peer):
    """Enter an asynchronous context in a separate loop; yield its value."""
    started = Future()

    async def live():
        ended = asyncio.Event()
        try:
            async with peer as value:
                loop = asyncio.get_running_loop()
                started.set_result(
                    (value, lambda: loop.call_soon_threadsafe(ended.set))
                )
                await ended.wait()
        except Exception as error:
            if started.done():
                raise
            started.set_exception(error)

    thread = threading.Thread(target=lambda: asyncio.run(live()))
    thread.start()
    end = None
    try:
        value, end = started.result(LIMIT_S)
        yield value
    finally:
        if end:
            end()
        thread.join()
