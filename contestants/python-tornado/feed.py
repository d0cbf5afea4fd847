"""Sends a feed with Tornado."""

from contextlib import suppress

from tornado.websocket import WebSocketClosedError, WebSocketHandler


class Subscriber(WebSocketHandler):
    def initialize(self, subscribers):
        self.subscribers = subscribers

    def open(self):
        self.subscribed = self.subscribers.join(self)

    def on_message(self, message):
        pass  # Messages from subscribers are ignored.

    def on_close(self):
        self.subscribed.remove(self)


async def publish(feed):
    async for message in feed:
        is_binary = isinstance(message, bytes)
        for subscriber in feed.subscribed:
            with suppress(WebSocketClosedError):
                writing = subscriber.write_message(message, is_binary)
                if feed.is_paced:
                    await writing
    for subscriber in feed.subscribed:
        subscriber.close(1000)
