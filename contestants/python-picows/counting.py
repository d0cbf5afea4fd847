"""Counts what picows delivers, in its own callback: it is called for each frame."""

from picows import WSCloseCode, WSListener, WSMsgType


def counting(receiver):
    """Return a listener that counts; a closure's variable is cheaper than its own."""
    messages = 0

    class Counter(WSListener):
        def on_ws_connected(self, transport):
            self._complete = receiver.opened_by_counter(lambda: messages)

        def on_ws_frame(self, transport, frame):
            # No look at the type of each frame, which is a constant of an enumeration:
            # the library answers pings itself, and nothing follows a closing frame.
            nonlocal messages
            messages += frame.fin
            if frame.last_in_buffer:
                self._look_up(transport, frame)

        def _look_up(self, transport, frame):
            nonlocal messages
            if frame.msg_type == WSMsgType.CLOSE:
                messages -= 1
                transport.send_close(frame.get_close_code())
                transport.disconnect()
            elif messages >= receiver.wanted:
                self._complete()
                transport.send_close(WSCloseCode.OK)

    return Counter()
