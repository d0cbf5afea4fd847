"""The smallest program that receives with picows: its core API."""

import asyncio
import os

from picows import WSCloseCode, WSListener, ws_connect


def counter():
    left = int(os.environ["MESSAGES"])

    class Counter(WSListener):
        __slots__ = ()

        def on_ws_frame(self, transport, frame):
            nonlocal left
            left -= 1
            if not left:
                transport.send_close(WSCloseCode.OK)

    return Counter()


async def receive():
    transport, _ = await ws_connect(counter, os.environ["URL"])
    await transport.wait_disconnected()


asyncio.run(receive())
