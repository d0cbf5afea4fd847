"""Serves with socketify."""

from autostrada_kit import ServerSettings
from serving import make_app, run

TOPIC = "messages"


def serve():
    app, options = make_app(settings)

    def publish(ws, message, opcode):
        app.publish(TOPIC, message, opcode, settings.deflate)

    app.ws("/publish", options | {"message": publish})
    app.ws("/subscribe", options | {"open": lambda ws: ws.subscribe(TOPIC)})
    run(app, settings)


settings = ServerSettings.from_environment()
serve()
