"""Serves with Tornado's web server."""

import asyncio
from contextlib import suppress

from autostrada_kit import ServerSettings
from tornado.web import Application
from tornado.websocket import WebSocketClosedError, WebSocketHandler

subscribers = set()


class Handler(WebSocketHandler):
    def get_compression_options(self):
        return {} if settings.deflate else None


class Echo(Handler):
    async def on_message(self, message):
        await self.write_message(message, binary=isinstance(message, bytes))


class Publish(Handler):
    def on_message(self, message):
        is_binary = isinstance(message, bytes)
        for subscriber in subscribers:
            with suppress(WebSocketClosedError):
                subscriber.write_message(message, is_binary)


class Subscribe(Handler):
    def open(self):
        subscribers.add(self)

    def on_message(self, message):
        pass

    def on_close(self):
        subscribers.discard(self)


async def serve():
    app = Application(
        [("/echo", Echo), ("/publish", Publish), ("/subscribe", Subscribe)],
        # The contract requires 16 MiB; the library's default is 10 MiB.
        websocket_max_message_size=settings.message_bytes_max,
    )
    app.listen(
        settings.port,
        settings.host,
        ssl_options=settings.tls_context(),
    )
    await asyncio.Event().wait()


settings = ServerSettings.from_environment()
asyncio.run(serve())
