"""Serves with socketify."""

import sys

from autostrada_kit import ServerSettings
from socketify import App, AppListenOptions, AppOptions, CompressOptions

TOPIC = "messages"


def serve():
    app = App(
        AppOptions(key_file_name=settings.tls_key, cert_file_name=settings.tls_cert)
        if settings.tls_cert
        else None
    )
    behavior = {
        # Off by default, as the contract requires.
        "compression": CompressOptions.SHARED_COMPRESSOR
        if settings.deflate
        else CompressOptions.DISABLED,
        # The contract requires 16 MiB; the library's default is 16 KiB.
        "max_payload_length": settings.message_bytes_max,
        # The contract requires that an idle subscriber stays connected. By default, the
        # library closes it after 120 s, without the ping in its documentation.
        "send_pings_automatically": True,
    }

    def echo(ws, message, opcode):
        ws.send(message, opcode, settings.deflate)

    def publish(ws, message, opcode):
        app.publish(TOPIC, message, opcode, settings.deflate)

    # An echo is never dropped: by default the library does so beyond 64 KiB of unsent
    # bytes; 0 means no limit.
    app.ws("/echo", behavior | {"max_backpressure": 0, "message": echo})
    app.ws("/publish", behavior | {"message": publish})
    app.ws("/subscribe", behavior | {"open": lambda ws: ws.subscribe(TOPIC)})
    listening = []
    app.listen(AppListenOptions(settings.port, settings.host), listening.append)
    if not listening:
        sys.exit(f"cannot listen on {settings.host}:{settings.port}")
    app.run()


settings = ServerSettings.from_environment()
serve()
