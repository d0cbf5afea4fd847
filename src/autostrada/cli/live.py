"""The live page of a run: pages of ``report``, which ``runner`` serves."""

import time
from collections.abc import Mapping
from pathlib import Path

from autostrada.report.pages.document import html_of, json_of
from autostrada.report.pages.live_page import last_page, live_page
from autostrada.runner.live import LiveServer
from autostrada.runner.progress import Progress
from autostrada.store.reader import StoreReader

FREE_S = 1.0
TIME_RATIO_MAX = 0.05
"""Largest part of the time that pages may take, beyond the first ``FREE_S``: no trial
is measured meanwhile, and a budget goes on."""


class LiveView:
    """Shows a run in a browser while it goes on."""

    def __init__(self) -> None:
        self._server: LiveServer | None = None
        self._begin_s = time.monotonic()
        self._spent_s = 0.0

    def show(
        self,
        progress: Progress,
        reader: StoreReader,
        run_id: int,
        facts: Mapping[str, str],
    ) -> None:
        """Show what is known, unless pages have taken too long; print the URL once."""
        now_s = time.monotonic()
        if self._spent_s > FREE_S + TIME_RATIO_MAX * (now_s - self._begin_s):
            return
        page = live_page(reader, run_id, facts)
        if self._server is None:
            # Its threads inherit the cores of this one, where nothing is measured.
            self._server = LiveServer(html_of(page))
            progress.warn(f"live: {self._server.url}")
        self._server.publish(json_of(page))
        self._spent_s += time.monotonic() - now_s

    def end(self, store: Path, run_id: int, path: Path) -> None:
        """Show that the run has ended, and where its page is."""
        if self._server:
            with StoreReader.open(store) as reader:
                page = last_page(live_page(reader, run_id, {}), path.resolve())
            self._server.end(json_of(page))
