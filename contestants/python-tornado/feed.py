"""Feeds an audience with Tornado."""

from contextlib import suppress

from tornado.websocket import WebSocketClosedError, WebSocketHandler


class Member(WebSocketHandler):
    def initialize(self, audience):
        self.audience = audience

    def open(self):
        self.members = self.audience.join(self)

    def on_message(self, message):
        pass  # What a member sends is ignored.

    def on_close(self):
        self.members.remove(self)


async def publish(feed):
    async for message in feed:
        is_binary = isinstance(message, bytes)
        for member in feed.members:
            with suppress(WebSocketClosedError):
                writing = member.write_message(message, is_binary)
                if feed.is_paced:
                    await writing
    for member in feed.members:
        member.close(1000)
