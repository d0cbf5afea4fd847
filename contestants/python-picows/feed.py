"""Feeds an audience with picows: its core API."""

import asyncio

from picows import WSCloseCode, WSListener, WSMsgType


class Member(WSListener):
    def __init__(self, audience):
        self._audience = audience
        self.has_room = asyncio.Event()
        self.has_room.set()

    def on_ws_connected(self, transport):
        self.transport = transport
        self._members = self._audience.join(self)

    def on_ws_frame(self, transport, frame):
        if frame.msg_type == WSMsgType.CLOSE:
            transport.send_close(frame.get_close_code())
            transport.disconnect()

    def on_ws_disconnected(self, transport):
        self._members.remove(self)
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
        for member in feed.members:
            if feed.is_paced:
                await member.has_room.wait()
            member.transport.send(kind, payload)
    for member in feed.members:
        member.transport.send_close(WSCloseCode.OK)
