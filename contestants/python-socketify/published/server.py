"""Sends a feed with socketify."""

import sys

from autostrada_feeds import FeedSettings
from autostrada_kit import ServerSettings
from feed import feed_handlers
from socketify import App, AppListenOptions, AppOptions, CompressOptions


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
        # By default, the library drops messages beyond 64 KiB of backpressure, which is
        # for PACE=dropping only; 0 means no limit.
        "max_backpressure": 0,
        # The contract requires that an idle subscriber stays connected. By default, the
        # library closes it after 120 s, without the ping in its documentation.
        "send_pings_automatically": True,
    }

    def echo(ws, message, opcode):
        ws.send(message, opcode, settings.deflate)

    listening = []
    app.ws("/echo", behavior | {"message": echo})
    if feed and feed.is_dropping:
        del behavior["max_backpressure"]
    app.ws("/feed", behavior | feed_handlers(app, settings.deflate, feed))
    app.listen(AppListenOptions(settings.port, settings.host), listening.append)
    if not listening:
        sys.exit(f"cannot listen on {settings.host}:{settings.port}")
    app.run()


settings = ServerSettings.from_environment()
feed = FeedSettings.from_environment()
serve()
