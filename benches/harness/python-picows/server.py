"""The smallest program that echoes with picows: its core API."""

import asyncio
import os

from picows import WSListener, WSMsgType, ws_create_server


class Echo(WSListener):
    def on_ws_frame(self, transport, frame):
        if frame.msg_type == WSMsgType.CLOSE:
            transport.send_close(frame.get_close_code())
            transport.disconnect()
        else:
            transport.send(frame.msg_type, frame.get_payload_as_memoryview())


async def serve():
    host, port = os.environ["HOST"], int(os.environ["PORT"])
    server = await ws_create_server(lambda _: Echo(), host, port)
    await server.serve_forever()


asyncio.run(serve())
