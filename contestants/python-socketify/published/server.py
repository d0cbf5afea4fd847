"""Sends a feed with socketify."""

from autostrada_feeds import FeedSettings
from autostrada_kit import ServerSettings
from feed import feed_handlers
from serving import make_app, run


def serve():
    app, options = make_app(settings)
    if not feed.is_dropping:
        # By default, the library drops messages beyond 64 KiB of unsent bytes; 0 means
        # no limit.
        options["max_backpressure"] = 0
    app.ws("/feed", options | feed_handlers(app, settings.deflate, feed))
    run(app, settings)


settings = ServerSettings.from_environment()
feed = FeedSettings.from_environment()
serve()
