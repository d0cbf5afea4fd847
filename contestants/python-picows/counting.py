"""Counts what picows delivers, in its own callback: it is called for each frame."""

from picows import WSCloseCode, WSListener, WSMsgType


def counting(receiver):
    """Return a listener that counts; a function is called faster than a method."""
    messages = 0

    class Counter(WSListener):
        def on_ws_connected(self, transport):
            self.complete = receiver.opened_by_counter(lambda: messages)

    def on_ws_frame(transport, frame):
        # No look at the type of each frame, which is a member of an enumeration: the
        # library answers pings itself, and nothing follows a closing frame.
        nonlocal messages
        messages += frame.fin
        if frame.last_in_buffer:
            look_up(transport, frame)

    def look_up(transport, frame):
        nonlocal messages
        if frame.msg_type == WSMsgType.CLOSE:
            messages -= 1
            transport.send_close(frame.get_close_code())
            transport.disconnect()
        elif messages >= receiver.wanted:
            counter.complete()
            transport.send_close(WSCloseCode.OK)

    counter = Counter()
    counter.on_ws_frame = on_ws_frame
    return counter
