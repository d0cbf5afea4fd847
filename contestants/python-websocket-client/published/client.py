"""Receives and checks a feed with websocket-client's WebSocketApp."""

from autostrada_feeds import Receiver
from autostrada_kit import run_threads
from websocket import (
    WebSocketApp,
    WebSocketConnectionClosedException,
    WebSocketException,
)


def receive(receiver):
    received = failure = None

    def on_open(app):
        nonlocal received
        received = receiver.opened()

    def on_message(app, message):
        if received(message):
            app.close()

    def on_error(app, error):
        nonlocal failure
        failure = error
        app.keep_running = False

    app = WebSocketApp(
        receiver.url, on_open=on_open, on_message=on_message, on_error=on_error
    )
    app.run_forever()
    # The library also reports the end of a connection and the exceptions of the
    # callbacks above as errors.
    has_ended = isinstance(failure, (OSError, WebSocketConnectionClosedException))
    if failure and not (received and has_ended):
        raise failure


# run_forever() blocks, so that each connection needs a thread.
run_threads(receive, Receiver.from_environment(), WebSocketException)
