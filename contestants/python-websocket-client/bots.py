"""Bots with websocket-client: its WebSocketApp."""

from threading import Thread

from autostrada_kit import Bots, call_on_threads, play_on_threads
from websocket import WebSocketApp, WebSocketException


class Player:
    """One connection: run_forever() receives on its thread, another one sends."""

    def __init__(self, bots):
        self.bots = bots
        self.is_wanted = True

    def on_open(self, app):
        self.bot = self.bots.opened()
        Thread(target=self.send, args=[app], daemon=True).start()

    def on_message(self, app, message):
        self.bot.answered(message)
        if self.bot.is_over:
            self.close(app)

    def on_error(self, app, error):
        if self.is_wanted:
            self.bots.fail(error)

    def send(self, app):
        try:
            play_on_threads(self.bot, app.send)
        except (OSError, WebSocketException) as error:
            self.on_error(app, error)
        self.close(app)

    def close(self, app):
        if self.is_wanted:
            self.is_wanted = False
            app.close()


def play_one(bots):
    player = Player(bots)
    WebSocketApp(
        bots.url,
        on_open=player.on_open,
        on_message=player.on_message,
        on_error=player.on_error,
    ).run_forever()
    if player.is_wanted:
        bots.fail(ConnectionError("closed by the server"))


def send_when_due():
    bots = Bots.from_environment()
    call_on_threads(play_one, bots)
    bots.finish()
