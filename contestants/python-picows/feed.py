"""Sends a feed with picows' core API."""

import asyncio

from picows import WSCloseCode, WSListener, WSMsgType


class Subscriber(WSListener):
    def __init__(self, subscribers):
        self._subscribers = subscribers
        self.has_room = asyncio.Event()
        self.has_room.set()

    def on_ws_connected(self, transport):
        self.transport = transport
        self._subscribed = self._subscribers.join(self)

    def on_ws_frame(self, transport, frame):
        if frame.msg_type == WSMsgType.CLOSE:
            transport.send_close(frame.get_close_code())
            transport.disconnect()

    def on_ws_disconnected(self, transport):
        self._subscribed.remove(self)
        self.has_room.set()

    def pause_writing(self):
        self.has_room.clear()

    def resume_writing(self):
        self.has_room.set()


async def publish(feed):
    async for message in feed:
        is_text = isinstance(message, str)
        kind = WSMsgType.TEXT if is_text else WSMsgType.BINARY
        payload = message.encode() if is_text else message
        for subscriber in feed.subscribed:
            if feed.is_paced:
                await subscriber.has_room.wait()
            subscriber.transport.send(kind, payload)
    for subscriber in feed.subscribed:
        subscriber.transport.send_close(WSCloseCode.OK)
