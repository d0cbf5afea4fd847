"""Joins picows' frames to messages, which other libraries deliver themselves."""

from picows import WSListener, WSMsgType


class MessageListener(WSListener):
    """A listener that calls ``on_message`` and answers close frames."""

    _first = None

    def on_ws_frame(self, transport, frame):
        kind = frame.msg_type
        if kind == WSMsgType.TEXT and frame.fin:
            self.on_message(frame.get_payload_as_utf8_text())
        elif kind == WSMsgType.BINARY and frame.fin:
            self.on_message(frame.get_payload_as_bytes())
        elif kind == WSMsgType.CLOSE:
            transport.send_close(frame.get_close_code())
            transport.disconnect()
        elif kind != WSMsgType.PONG:  # The library answers pings.
            self._join(frame)

    def _join(self, frame):
        if frame.msg_type != WSMsgType.CONTINUATION:
            self._first, self._parts = frame.msg_type, []
        self._parts.append(frame.get_payload_as_bytes())
        if frame.fin:
            payload = b"".join(self._parts)
            is_text = self._first == WSMsgType.TEXT
            self.on_message(payload.decode() if is_text else payload)
