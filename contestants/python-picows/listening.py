"""Joins the library's frames to messages: the others' libraries deliver messages."""

from picows import WSListener, WSMsgType


class MessageListener(WSListener):
    """Calls ``on_message``, and answers closing frames."""

    _first = None

    def on_ws_frame(self, transport, frame):
        if frame.msg_type == WSMsgType.CLOSE:
            transport.send_close(frame.get_close_code())
            transport.disconnect()
        elif frame.msg_type in (WSMsgType.PING, WSMsgType.PONG):
            pass  # The library answers by itself.
        elif frame.fin and frame.msg_type != WSMsgType.CONTINUATION:
            is_text = frame.msg_type == WSMsgType.TEXT
            self.on_message(
                frame.get_payload_as_utf8_text()
                if is_text
                else frame.get_payload_as_bytes()
            )
        else:
            self._join(frame)

    def _join(self, frame):
        if frame.msg_type != WSMsgType.CONTINUATION:
            self._first, self._parts = frame.msg_type, []
        self._parts.append(frame.get_payload_as_bytes())
        if frame.fin:
            payload = b"".join(self._parts)
            is_text = self._first == WSMsgType.TEXT
            self.on_message(payload.decode() if is_text else payload)
