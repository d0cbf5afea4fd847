"""Echoes, and sends a feed to subscribers, with socketify."""

import sys

from autostrada_kit import ServerSettings, run_workers
from feed import feed_handlers
from socketify import App, AppListenOptions, AppOptions, CompressOptions


def serve():
    app = App(
        AppOptions(key_file_name=settings.tls_key, cert_file_name=settings.tls_cert)
        if settings.tls_cert
        else None
    )
    behavior = {
        # The contract: off where it is not asked for.
        "compression": CompressOptions.SHARED_COMPRESSOR
        if settings.deflate
        else CompressOptions.DISABLED,
        # The contract: 16 MiB. The library's default is 16 KiB.
        "max_payload_length": settings.payload_bytes_max,
        # The contract: nothing is left out. The library's default is to drop what
        # does not fit into 64 KiB; 0 is no limit.
        "max_backpressure": 0,
        # The contract: who only listens is fed to the end. By default a connection that
        # has sent nothing for 120 s is closed, without the ping that its page promises.
        "send_pings_automatically": True,
    }

    def echo(ws, message, opcode):
        ws.send(message, opcode, settings.deflate)

    listening = []
    app.ws("/echo", behavior | {"message": echo})
    app.ws("/feed", behavior | feed_handlers(app, settings))
    app.listen(AppListenOptions(settings.port, settings.host), listening.append)
    if not listening:
        sys.exit(f"cannot listen on {settings.host}:{settings.port}")
    app.run()


settings = ServerSettings.from_environment()
run_workers(settings.workers, serve)
