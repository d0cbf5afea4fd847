"""Receives messages with websocket-client's WebSocketApp."""

from autostrada_kit import Receiver, call_on_threads, choose
from echo import exchange
from websocket import (
    WebSocketApp,
    WebSocketConnectionClosedException,
    WebSocketException,
)


def receive_one(receiver):
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


def receive():
    receiver = Receiver.from_environment()
    try:
        # run_forever() blocks, so that each connection needs a thread.
        call_on_threads(receive_one, receiver)
    except (OSError, WebSocketException) as error:
        receiver.fail(error)
    receiver.finish()


workloads = {"receive": receive, "echo": exchange}
workloads[choose("WORKLOAD", *workloads)]()
