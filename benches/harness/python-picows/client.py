"""The smallest program that receives with picows: its core API."""

import asyncio
import os

from picows import WSCloseCode, WSListener, WSMsgType, ws_connect


class Counter(WSListener):
    left = int(os.environ["MESSAGES"])

    def on_ws_frame(self, transport, frame):
        if frame.msg_type == WSMsgType.TEXT and frame.get_payload_as_utf8_text():
            self.left -= 1
            if not self.left:
                transport.send_close(WSCloseCode.OK)


async def receive():
    transport, _ = await ws_connect(Counter, os.environ["URL"])
    await transport.wait_disconnected()


asyncio.run(receive())
