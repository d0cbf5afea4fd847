"""Runs an application of socketify, for the contract and for feeds."""

import sys

from socketify import App, AppListenOptions, AppOptions, CompressOptions


def make_app(settings):
    """Return an application, and the options of its paths."""
    app = App(
        AppOptions(key_file_name=settings.tls_key, cert_file_name=settings.tls_cert)
        if settings.tls_cert
        else None
    )
    options = {
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

    # An echo is never dropped: by default the library does so beyond 64 KiB of unsent
    # bytes; 0 means no limit.
    app.ws("/echo", options | {"max_backpressure": 0, "message": echo})
    return app, options


def run(app, settings):
    listening = []
    app.listen(AppListenOptions(settings.port, settings.host), listening.append)
    if not listening:
        sys.exit(f"cannot listen on {settings.host}:{settings.port}")
    app.run()
