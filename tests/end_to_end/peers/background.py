"""An event loop in a thread, which runs a peer while a test uses the engine."""

import asyncio
import threading
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager

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


def stream_peer(talk, scheme, *, ssl=None):
    """Call ``talk`` with the streams of each TCP connection; yield the address."""

    @asynccontextmanager
    async def server():
        transports, tasks = [], []

        async def serve(reader, writer):
            transports.append(writer.transport)
            tasks.append(asyncio.current_task())
            try:
                await talk(reader, writer)
            except (ConnectionError, asyncio.IncompleteReadError):
                pass
            finally:
                writer.close()

        listening = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=ssl)
        async with listening:
            port = listening.sockets[0].getsockname()[1]
            yield f"{scheme}://127.0.0.1:{port}"
            for transport in transports:
                transport.abort()
            await asyncio.gather(*tasks)

    return in_background(server())
