"""Receives with websocket-client: its WebSocketApp."""

import sys

from autostrada_kit import Receiver, call_on_threads, choose
from echo import exchange
from websocket import WebSocketApp, WebSocketException


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
    # The library reports the end of a connection as an error, too, and the
    # exceptions of the functions above.
    has_ended = isinstance(failure, (OSError, WebSocketException))
    if failure and received and has_ended:
        print(failure, file=sys.stderr)
    elif failure:
        raise failure


if choose("WORKLOAD", "receive", "echo") == "echo":
    exchange()
else:
    receiver = Receiver.from_environment()
    try:
        # run_forever() blocks: a thread for each connection.
        call_on_threads(receive, receiver)
    except (OSError, WebSocketException) as error:
        receiver.fail(error)
    receiver.finish()
