"""The site in a real browser, opened as a file: libraries in three clicks."""

import shutil
from pathlib import Path

import pytest
from command_line import autostrada
from peers.firefox import firefox
from tests.unit.report.market import write_market
from tests.unit.report.race import write_race

DESKTOP = 1280
PHONE = 390
VIEWS = [
    "index",
    "libraries/ada-fast",
    "runs/small-2026-11-20",
    "runs/market-2026-11-21",
]
AXE = Path(__file__).parents[2] / "site/node_modules/axe-core/axe.min.js"
OPEN_ALL = "dispatchEvent(new Event('beforeprint'))"
"""Opens all that is folded, and draws all charts, as printing does."""

CHOOSE_CLIENTS = """new Promise(done => {
    const buttons = [...document.querySelectorAll('fieldset button')];
    buttons.find(each => each.textContent === 'client').click();
    requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
})"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    market = write_market(folder / "market.duckdb")
    race = write_race(folder / "race.duckdb")
    made = autostrada("site", market, race, "--out", folder / "out")
    assert made.returncode == 0, made.stderr
    assert made.stdout.split() == ["site:", str(folder / "out" / "index.html")]
    return folder / "out"


@pytest.fixture(scope="module")
def page_url(site):
    return (site / "index.html").as_uri()


@pytest.fixture
def index(browser, page_url):
    page = browser.new_page(viewport={"width": DESKTOP, "height": 900}, offline=True)
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(page_url)
    yield page
    page.close()
    assert problems == []


def test_two_choices_leave_the_rows_of_both(index):
    rows = index.locator("table").first.locator("tbody tr:not(.note)")
    every = rows.count()
    client = index.get_by_role("button", name="client", exact=True)
    client.click()
    index.get_by_label("bottleneck").select_option("client CPU")
    assert 0 < rows.count() < every
    assert all("client CPU" in text for text in rows.all_text_contents())
    shown = index.get_by_text(f"{rows.count()} of {every} rows")
    assert shown.is_visible()
    client.click()
    server = index.get_by_role("button", name="server", exact=True)
    assert server.is_disabled(), "no server was limited by the client's CPU"


def test_the_reasons_of_a_row_are_loaded_when_it_is_opened(index):
    script = index.locator("script[src='details.js']")
    assert script.count() == 0
    index.get_by_role("button", name="why").first.click()
    command = index.get_by_text("measures this cell again")
    command.wait_for()
    assert script.count() == 1
    index.get_by_role("button", name="why").nth(1).click()
    command.nth(1).wait_for()
    assert script.count() == 1


def test_reasons_that_cannot_be_loaded_are_a_sentence(browser, site, tmp_path):
    for name in ("index.html", "application.js", "application.css"):
        shutil.copy(site / name, tmp_path)
    page = browser.new_page(offline=True)
    page.goto((tmp_path / "index.html").as_uri())
    page.get_by_role("button", name="why").first.click()
    page.get_by_text("details.js cannot be read: reload the page.").wait_for()
    page.close()


def test_the_address_holds_choices_order_and_words(index):
    client = index.get_by_role("button", name="client", exact=True)
    client.click()
    index.get_by_role("button", name="library").click()
    index.get_by_label("search").fill("fast")
    rows = index.locator("table").first.locator("tbody tr:not(.note)")
    before = rows.all_text_contents()
    assert index.url.endswith("#role=client&sort=library&search=fast")
    index.reload()
    assert rows.all_text_contents() == before
    assert client.get_attribute("aria-pressed") == "true"


def test_two_libraries_that_are_ticked_stand_beside_each_other(index):
    for name in ("ada-fast", "bash-slow"):
        row = index.get_by_role("row").filter(has_text=name).first
        row.get_by_label("compare").check()
    index.get_by_role("link", name="ada-fast and bash-slow beside each other").click()
    assert index.locator("h1").text_content() == "Two libraries beside each other"
    heads = index.get_by_role("columnheader").all_text_contents()
    assert {"ada-fast", "bash-slow", "ratio"} <= set(heads)


def test_a_row_leads_to_its_library_and_back(index):
    index.get_by_role("link", name="ada-fast").first.click()
    assert index.locator("h1").text_content() == "ada-fast"
    index.get_by_role("link", name="all results").click()
    assert index.locator("h1").text_content().startswith("How fast")


@pytest.mark.parametrize(
    "name", ["index", "libraries/ada-fast", "runs/small-2026-11-20"]
)
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_nothing_but_tables_is_wider_than_the_screen(browser, site, name, width):
    page = browser.new_page(viewport={"width": width, "height": 900}, offline=True)
    page.goto((site / f"{name}.html").as_uri())
    page.locator("h1").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.skipif(not AXE.exists(), reason="axe is not installed: npm ci in site/")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", VIEWS)
def test_no_rule_of_accessibility_is_broken(browser, site, name, scheme):
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto((site / f"{name}.html").as_uri())
    page.evaluate(OPEN_ALL)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({resultTypes: ['violations']})")
    context.close()
    assert [each["id"] for each in found["violations"]] == []


def test_firefox_shows_the_same(site, page_url, tmp_path):
    with firefox(tmp_path) as page:
        for name in VIEWS:
            page.open((site / f"{name}.html").as_uri(), PHONE)
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
            assert page.evaluate(f"{OPEN_ALL}, document.querySelector('h1') !== null")
        page.open(page_url, DESKTOP)
        rows = "document.querySelectorAll('tbody')[0].querySelectorAll('tr').length"
        every = page.evaluate(rows)
        page.evaluate(CHOOSE_CLIENTS)
        assert 0 < page.evaluate(rows) < every
        assert page.messages == []
