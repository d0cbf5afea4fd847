"""Counts messages in picows' own callback, which is called for each frame."""

import asyncio

from picows import WSCloseCode, WSListener, WSMsgType

CHECK_INTERVAL_S = 0.1


def counting(receiver):
    """Return a listener that counts in a variable, faster than in an attribute."""
    left = receiver.expected

    class Counter(WSListener):
        __slots__ = ("complete",)

        def on_ws_connected(self, transport):
            self.complete = receiver.opened_by_counter(lambda: receiver.expected - left)

        def on_ws_frame(self, transport, frame):
            # Reads no attribute of a frame: that costs a tenth of its delivery.
            nonlocal left
            left -= 1
            if not left:
                if frame.msg_type == WSMsgType.CLOSE:
                    return
                self.complete()
                transport.send_close(WSCloseCode.OK)

        async def answer_close(self, transport):
            """Answer a close frame that comes early, and subtract it from the count."""
            nonlocal left
            while not (transport.close_handshake or transport.is_disconnected):
                await asyncio.sleep(CHECK_INTERVAL_S)
            handshake = transport.close_handshake
            if handshake and handshake.recv_then_sent:
                left += 1
                transport.send_close(handshake.recv.code)
                transport.disconnect()

    return Counter()
