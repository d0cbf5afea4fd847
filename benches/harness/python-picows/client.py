"""The smallest program that receives with picows: its core API."""

import asyncio
import os

from picows import WSCloseCode, WSListener, ws_connect

MESSAGES = int(os.environ["MESSAGES"])


class Counter(WSListener):
    count = 0

    def on_ws_frame(self, transport, frame):
        self.count += 1
        if self.count == MESSAGES:
            transport.send_close(WSCloseCode.OK)


async def receive():
    transport, _ = await ws_connect(Counter, os.environ["URL"])
    await transport.wait_disconnected()


asyncio.run(receive())
