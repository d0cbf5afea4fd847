"""The page in a real browser: offline, on a narrow screen, and in dark mode."""

from dataclasses import replace
from math import ceil
from pathlib import Path

import pytest
from tests.unit.blank import blank, process_sample
from tests.unit.report import race, records
from tests.unit.report.records import end, push, trial, version, write_run

from autostrada.experiment.matrix import Cell
from autostrada.report.pages.run_page import write_page
from autostrada.report.time_series import POINTS_MAX, SIDE
from autostrada.store.record import (
    MissingMetric,
    Observation,
    SecondRow,
    SocketSample,
)

PHONE = 375
DESKTOP = 1280

LONG_NAME = "cobol-with-a-long-name+and-variant"
QUESTION = "Does everything fit, whatever the names and however long this question is?"
RUN = replace(
    race.RUN,
    definition=race.DEFINITION.replace("Who is fast?", QUESTION).replace(
        '"cobol-mid", "bash-slow"', f'"{LONG_NAME}"'
    ),
    published="",
    command="autostrada run browsers --store a/rather/long/path/to.duckdb",
    host='{"cpu_model": "A processor with quite a long name @ 3.14 GHz"}',
)

NS_PER_MESSAGE = {"reference": 20, "ada-fast": 230, LONG_NAME: 5_200}


def measurement(contestant, messages, repetition):
    ns_per_message = NS_PER_MESSAGE[contestant] + repetition
    per_second = 10**9 // ns_per_message
    is_engine = contestant == "reference"
    return push(
        ns_per_message,
        messages,
        ends=(
            end("client", 0.4 if is_engine else 1.0, is_engine=is_engine),
            end("server", 0.95 if is_engine else 0.1, is_engine=True),
        ),
        seconds=tuple(
            SecondRow(process="client", second=second, messages=per_second, bytes=1)
            for second in range(messages // per_second)
        ),
    )


def observation(contestant, duration_ns):
    """Sample every 50 ms; the sockets of ada-fast cannot be sampled."""
    instants = [
        {"process": process, "since_start_ns": at_ns}
        for at_ns in range(-20_000_000, duration_ns, 50_000_000)
        for process in ("client", "server")
    ]
    processes = tuple(sampled(**each) for each in instants)
    if contestant == "ada-fast":
        missing = MissingMetric(metric="sockets", reason="no sock_diag " + "x" * 80)
        return Observation(process_samples=processes, missing_metrics=(missing,))
    sockets = tuple(
        blank(SocketSample, 0, send_queue_bytes=3_000_000, **each) for each in instants
    )
    return Observation(process_samples=processes, socket_samples=sockets)


def sampled(process, since_start_ns):
    return process_sample(
        process,
        since_start_ns,
        cpu_ns=10**9 + max(0, since_start_ns) // (1 if process == "client" else 10),
        resident_bytes=(30 + since_start_ns // 10**9) * 2**20,
        peak_resident_bytes=40 * 2**20,
    )


def trials():
    for workload, messages in race.MESSAGES.items():
        for name in NS_PER_MESSAGE:
            for repetition in range(5):
                outcome = measurement(name, messages, repetition)
                observed = observation(name, outcome.duration_ns)
                cell = Cell(client=name, workload=workload)
                yield trial(cell, repetition, outcome, observation=observed)


@pytest.fixture(scope="module")
def page_url(tmp_path_factory):
    path = tmp_path_factory.mktemp("browser") / "race.duckdb"
    versions = [
        version(name, library=f"example.org/some/package/{name}")
        for name in (*NS_PER_MESSAGE, "dart-missing")
    ]
    failure = replace(records.missing("dart"), stderr_tail="x" * 200)
    write_run(path, RUN, versions, trials(), **{"dart-missing": failure})
    return write_page(path).as_uri()


def test_every_chart_is_drawn_and_described(opened):
    page = opened.whole(DESKTOP)
    charts = page.locator(".chart svg")
    assert charts.count() == 2
    for chart in charts.all():
        assert chart.bounding_box()["width"] > 900
        assert chart.locator("[aria-label=dot] > *").count() >= 3
    labels = [each.get_attribute("aria-label") for each in page.locator(".chart").all()]
    assert any(
        "; ada-fast 232\u202fms; cobol-with-a-long-name" in label for label in labels
    )


def test_a_chart_can_be_downloaded_as_a_picture(opened):
    page = opened(DESKTOP)
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as downloaded:
            page.get_by_role("button", name=kind).first.click()
        assert Path(downloaded.value.path()).read_bytes().startswith(start)


@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_nothing_is_wider_than_the_screen(opened, width):
    assert opened.overflowing(width) == []


def test_labels_of_charts_stay_inside_on_a_narrow_screen(opened):
    page = opened.whole(PHONE)
    overflowing = page.evaluate(
        """[...document.querySelectorAll('.chart text')]
        .filter(each => each.getBoundingClientRect().right > innerWidth
                     || each.getBoundingClientRect().left < 0)
        .map(each => each.textContent)"""
    )
    assert overflowing == []


def test_a_table_names_its_metrics_on_a_narrow_screen(opened):
    page = opened(PHONE)
    cell = page.locator(".race td[data-label='to the best']:not(.none)").first
    label = cell.evaluate("each => getComputedStyle(each, '::before').content")
    assert label == '"to the best"'


def test_a_row_opens_to_its_bottleneck(opened):
    page = opened(DESKTOP)
    table = page.locator(".race").first
    assert table.get_by_text("Bottleneck: client CPU.").count() == 0
    row = table.locator("tr", has_text=LONG_NAME)
    row.get_by_role("button", name="why").click()
    row = table.locator(".note")
    assert row.get_by_text("Bottleneck: client CPU.").is_visible()
    assert row.get_by_text("server without room to send 70% of the time").is_visible()
    assert row.get_by_text(f"--contestant {LONG_NAME} --workload").is_visible()


def test_a_table_is_sorted_by_a_column_and_can_be_downloaded(opened):
    page = opened(DESKTOP)
    table = page.locator(".race").first
    names = table.locator("tbody th")
    before = names.all_text_contents()
    head = table.locator("thead th", has_text="contestant")
    head.get_by_role("button").click()
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert names.all_text_contents() == sorted(before, reverse=True) != before
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="CSV").nth(1).click()
    lines = Path(downloaded.value.path()).read_text().splitlines()
    assert lines[0].startswith("rank,contestant,")
    assert len(lines) == 1 + len(before)


def time_series(page, name):
    """Return the row of a cell's time series, scrolled into view."""
    row = page.locator("tr:has(polyline)", has_text=name).first
    row.scroll_into_view_if_needed()
    return row


def test_a_time_series_has_a_panel_for_each_metric(opened):
    page = opened(DESKTOP)
    row = time_series(page, "cobol-with-a-long-name")
    panels = row.locator("td svg")
    assert panels.count() == 4
    for panel in panels.all():
        assert panel.is_visible()
        # Lines for both ends, except messages, which only the client counts.
        assert panel.locator("polyline").count() >= 1
        assert panel.bounding_box()["width"] > 100
    assert row.locator("polyline").count() == 7


def test_the_panels_of_a_time_series_share_their_time(opened):
    page = opened(DESKTOP)
    row = time_series(page, "cobol-with-a-long-name")
    # All have the same width and scale, and end with the trial.
    boxes = [panel.bounding_box() for panel in row.locator("td svg").all()]
    assert len({box["width"] for box in boxes}) == 1
    ends = row.evaluate(
        """each => [...each.querySelectorAll('polyline')]
        .map(line => line.getAttribute('points').split(' '))
        .map(points => [points[0], points.at(-1)].map(point => +point.split(',')[0]))"""
    )
    assert len(ends) == 7
    # If several samples share a point, only the highest is drawn.
    point = ceil(SIDE / POINTS_MAX)
    for first, last in ends:
        assert -1 <= first <= point
        assert SIDE - point <= last <= SIDE


def test_a_panel_shows_the_maximum_of_each_end(opened):
    page = opened(DESKTOP)
    row = time_series(page, "cobol-with-a-long-name")
    cores, resident = row.locator("td").nth(1), row.locator("td").nth(2)
    # Client and server, as in observation().
    assert cores.inner_text().split() == ["client", "1.00", "server", "0.10"]
    label = resident.locator("svg").get_attribute("aria-label")
    assert label.startswith("resident memory: client at most 35")
    assert "server at most 35" in label


def test_a_metric_that_was_not_observed_has_a_reason(opened):
    page = opened.whole(PHONE)
    row = time_series(page, "ada-fast")
    assert row.get_by_text("not observed").is_visible()
    assert row.locator("td svg").count() == 3
    reason = page.locator(".note", has_text="no sock_diag")
    assert reason.is_visible()
    assert reason.inner_text().startswith("Not observed in 2 cells: sockets: ")


@pytest.mark.parametrize("width", [320, 375, 1280])
def test_labels_of_time_series_do_not_overlap(opened, width):
    page = opened.whole(width)
    assert page.locator("td:has(polyline) small span").count() > 10
    touching = page.evaluate(
        """[...document.querySelectorAll('table:has(polyline)')].flatMap(table => {
            const labels = [...table.querySelectorAll('small span')];
            const boxes = labels.map(label => label.getBoundingClientRect());
            return labels.flatMap((label, here) => boxes.slice(here + 1)
                .filter(box => box.left < boxes[here].right
                            && boxes[here].left < box.right
                            && box.top < boxes[here].bottom
                            && boxes[here].top < box.bottom)
                .map(() => label.textContent));
        })"""
    )
    assert touching == []


def test_page_and_charts_follow_the_dark_color_scheme(opened):
    colours = {}
    for scheme in ("light", "dark"):
        page = opened.whole(DESKTOP, scheme)
        colours[scheme] = page.evaluate(
            """[getComputedStyle(document.body).backgroundColor,
            getComputedStyle(document.querySelector('.chart text')).fill,
            getComputedStyle(document.querySelector('polyline')).stroke,
            getComputedStyle(document.querySelector('table th')).color]"""
        )
    assert all(a != b for a, b in zip(*colours.values(), strict=True))
