"""Echoes messages and sends a feed with Tornado's web server."""

import asyncio

from autostrada_kit import ServerSettings, Subscribers, run_workers
from feed import Subscriber, publish
from tornado.web import Application
from tornado.websocket import WebSocketHandler


class Echo(WebSocketHandler):
    async def on_message(self, message):
        await self.write_message(message, binary=isinstance(message, bytes))

    def get_compression_options(self):
        return {} if settings.deflate else None


async def serve():
    subscribers = Subscribers(settings.feed, publish)
    app = Application(
        [("/echo", Echo), ("/feed", Subscriber, {"subscribers": subscribers})],
        # The contract requires 16 MiB; the library's default is 10 MiB.
        websocket_max_message_size=settings.payload_bytes_max,
    )
    app.listen(
        settings.port,
        settings.host,
        reuse_port=settings.workers > 1,
        ssl_options=settings.tls_context(),
    )
    await asyncio.Event().wait()


settings = ServerSettings.from_environment()
run_workers(settings.workers, lambda: asyncio.run(serve()))
