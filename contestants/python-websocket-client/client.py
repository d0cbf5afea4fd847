"""Receives messages with websocket-client's WebSocketApp."""

from autostrada_kit import CLOSE, REPLY, Client, run_threads
from websocket import (
    ABNF,
    WebSocketApp,
    WebSocketConnectionClosedException,
    WebSocketException,
)


def receive(client):
    received = failure = None

    def on_open(app):
        nonlocal received
        received = client.opened()

    def on_message(app, message):
        action = received(message)
        if action == REPLY:
            is_text = isinstance(message, str)
            app.send(message, ABNF.OPCODE_TEXT if is_text else ABNF.OPCODE_BINARY)
        elif action == CLOSE:
            app.close()

    def on_error(app, error):
        nonlocal failure
        failure = error
        app.keep_running = False

    app = WebSocketApp(
        client.url, on_open=on_open, on_message=on_message, on_error=on_error
    )
    app.run_forever()
    # The library also reports the end of a connection and the exceptions of the
    # callbacks above as errors.
    has_ended = isinstance(failure, (OSError, WebSocketConnectionClosedException))
    if failure and not (received and has_ended):
        raise failure


# run_forever() blocks, so that each connection needs a thread.
run_threads(receive, Client.from_environment(), WebSocketException)
