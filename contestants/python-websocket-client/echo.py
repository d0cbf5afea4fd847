"""Exchanges echoes with websocket-client's WebSocketApp."""

from autostrada_kit import Exchanger, call_on_threads
from websocket import WebSocketApp, WebSocketConnectionClosedException


def exchange_one(exchanger):
    answered = None
    is_ongoing = True

    def on_open(app):
        nonlocal answered
        answered = exchanger.opened()
        app.send(exchanger.payload)

    def on_message(app, message):
        nonlocal is_ongoing
        is_ongoing = answered(message)
        if is_ongoing:
            app.send(exchanger.payload)
        else:
            app.close()

    def on_error(app, error):
        if is_ongoing:
            exchanger.fail(error)

    app = WebSocketApp(
        exchanger.url, on_open=on_open, on_message=on_message, on_error=on_error
    )
    app.run_forever()
    if is_ongoing:
        exchanger.fail(WebSocketConnectionClosedException("closed by the server"))


def exchange():
    exchanger = Exchanger.from_environment()
    # run_forever() blocks, so that each connection needs a thread.
    call_on_threads(exchange_one, exchanger)
    exchanger.finish()
