"""Echoes messages and sends a feed with picows' core API."""

import asyncio

from autostrada_kit import ServerSettings, Subscribers, run_workers
from feed import Subscriber, publish
from picows import WSListener, WSMsgType, ws_create_server

# Enumeration members, looked up once.
CLOSE, PONG = WSMsgType.CLOSE, WSMsgType.PONG


class Echo(WSListener):
    def on_ws_frame(self, transport, frame):
        kind = frame.msg_type
        if kind is CLOSE:
            transport.send_close(frame.get_close_code())
            transport.disconnect()
        elif kind is not PONG:  # The library answers pings.
            transport.send(kind, frame.get_payload_as_memoryview(), fin=frame.fin)


async def serve():
    subscribers = Subscribers(settings.feed, publish)
    server = await ws_create_server(
        lambda request: Subscriber(subscribers) if request.path == b"/feed" else Echo(),
        settings.host,
        settings.port,
        ssl=settings.tls_context(),
        # The contract requires 16 MiB; the library's default is 10 MiB.
        max_frame_size=settings.payload_bytes_max,
        reuse_port=settings.workers > 1,
    )
    await server.serve_forever()


settings = ServerSettings.from_environment()
run_workers(settings.workers, lambda: asyncio.run(serve()))
