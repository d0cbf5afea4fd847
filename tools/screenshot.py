"""``python -m tools.screenshot``: the picture of the site in docs/results."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from autostrada.report.pages.site import write_site

RESULTS = Path(__file__).parents[1] / "docs/results"


def take_screenshot(path: Path) -> None:
    """Write the first screen of the site of all archives, with a choice made."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        write_site(sorted(RESULTS.glob("*.parquet")), Path(folder))
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        page = browser.new_page(
            viewport={"width": 1280, "height": 1100}, color_scheme="light"
        )
        index = Path(folder, "index.html").as_uri()
        page.goto(f"{index}#role=server&workload=echo")
        page.locator("tbody tr").first.wait_for()
        page.screenshot(path=path)
        browser.close()


if __name__ == "__main__":
    take_screenshot(RESULTS / "site.png")
