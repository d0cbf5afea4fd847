"""The page of a run that goes on."""

from pathlib import Path

from autostrada.report.pages.document import html_of
from autostrada.report.pages.live_page import last_page, live_page


def test_only_a_page_with_a_stream_may_connect(reader):
    page = live_page(reader, 1, {"finished trials": "3/9"})
    last = last_page(page, Path("/results/<b>.html"))
    assert "; connect-src 'self'" in html_of(page)
    assert "connect-src" not in html_of(last).partition("<title>")[0]
    assert last.status == "The run has ended. Its page: /results/<b>.html"
    assert "<b>" not in html_of(last)
