"""The page in a real browser: offline, on a narrow screen, and in dark mode."""

from datetime import UTC, datetime
from math import ceil

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.report.page import write_page
from autostrada.report.time_series import POINTS_MAX, SIDE
from autostrada.store.record import (
    ContestantVersion,
    EndEvidence,
    Failure,
    Measurement,
    MetricValue,
    MissingMetric,
    Observation,
    ProcessSample,
    ProcessTotal,
    Run,
    SecondRow,
    SocketSample,
    Trial,
)
from autostrada.store.writer import StoreWriter

ENDS = ("client", "server")
PHONE = 375
DESKTOP = 1280

OPEN_ALL = "for (const each of document.querySelectorAll('details')) each.open = true"

DEFINITION = """
title = "A race for browsers"
question = "Does everything fit, whatever the names and however long this question is?"
repetitions = 5
limit_s = 60
clients = ["reference", "ada-fast", "cobol-with-a-long-name+and-variant",
  "dart-missing"]
[[workload]]
name = "batched"
kind = "push"
messages = 1_000_000
payload_text = "hello world"
frames_per_write = "many"
[[workload]]
name = "one-by-one"
kind = "push"
messages = 200_000
payload_text = "hello world"
frames_per_write = "one"
"""

NS_PER_MESSAGE = {"reference": 20, "ada-fast": 230, "cobol-with-a-long-name": 5_200}


def measurement(contestant, messages, repetition):
    ns_per_message = NS_PER_MESSAGE[contestant.partition("+")[0]] + repetition
    per_second = 10**9 // ns_per_message
    return Measurement(
        messages=messages,
        payload_bytes=11 * messages,
        duration_ns=ns_per_message * messages,
        client_duration_ns=ns_per_message * messages,
        server_utilization=0.95 if contestant == "reference" else 0.1,
        server_blocked_share=0.8,
        client_utilization=1.0,
        congestion_control="reno",
        ends=(
            EndEvidence(
                process="client",
                is_engine=contestant == "reference",
                cpu_cores=1.0,
                utilization=1.0 if contestant != "reference" else 0.4,
            ),
            EndEvidence(
                process="server",
                is_engine=True,
                cpu_cores=0.9,
                utilization=0.95 if contestant == "reference" else 0.1,
            ),
        ),
        processes=(
            ProcessTotal(
                process="client",
                cpu_ns=10**9,
                resident_bytes=10**7,
                peak_resident_bytes=10**7,
            ),
        ),
        metrics=(
            MetricValue(
                process="client", metric="ms_per_million", value=ns_per_message
            ),
        ),
        seconds=tuple(
            SecondRow(process="client", second=second, messages=per_second, bytes=1)
            for second in range(messages // per_second)
        ),
    )


def observation(contestant, duration_ns):
    """Sample every 50 ms; the sockets of ada-fast cannot be sampled."""
    looks_ns = range(-20_000_000, duration_ns, 50_000_000)
    processes = tuple(
        ProcessSample(
            process=process,
            since_start_ns=at_ns,
            cpu_ns=10**9 + max(0, at_ns) // share,
            user_ns=None,
            system_ns=None,
            resident_bytes=(30 + at_ns // 10**9) * 2**20,
            proportional_bytes=None,
            peak_resident_bytes=40 * 2**20,
            threads=None,
            switches_voluntary=None,
            switches_forced=None,
            faults_minor=None,
            faults_major=None,
            files=None,
        )
        for at_ns in looks_ns
        for process, share in (("client", 1), ("server", 10))
    )
    if contestant == "ada-fast":
        missing = MissingMetric(metric="sockets", reason="no sock_diag " + "x" * 80)
        return Observation(process_samples=processes, missing_metrics=(missing,))
    sockets = tuple(socket_sample(at_ns, name) for at_ns in looks_ns for name in ENDS)
    return Observation(process_samples=processes, socket_samples=sockets)


def socket_sample(at_ns, process):
    names = SocketSample.__dataclass_fields__.keys() - {"process", "since_start_ns"}
    counts = dict.fromkeys(names, 0)
    queues = {"send_queue_bytes": 3_000_000, "receive_queue_bytes": at_ns % 600_000}
    return SocketSample(process=process, since_start_ns=at_ns, **counts | queues)


@pytest.fixture(scope="module")
def page_url(tmp_path_factory):
    path = tmp_path_factory.mktemp("browser") / "race.duckdb"
    started_at = datetime(2026, 11, 20, tzinfo=UTC)
    names = ("reference", "ada-fast", "cobol-with-a-long-name+and-variant")
    with StoreWriter.create_or_open(path) as writer:
        run_id = writer.start_run(
            Run(
                experiment="browsers",
                definition=DEFINITION,
                plan='{"contestants": [], "repetitions": 5, "seed": 1}',
                command="autostrada run browsers --store a/rather/long/path/to.duckdb",
                started_at=started_at,
                autostrada_version="0.1.0",
                host='{"cpu_model": "A processor with quite a long name @ 3.14 GHz"}',
            )
        )
        for name in (*names, "dart-missing"):
            version = ContestantVersion(
                contestant=name,
                library=f"example.org/some/package/{name}",
                language="ada",
                homepage="https://example.org",
                version="1.2.3",
                toolchain="ada 9",
                digest="0" * 64,
            )
            writer.record_contestant(run_id, version)
        failure = Failure(
            kind="not installed",
            message="dart is missing: apt install dart",
            stderr_tail="x" * 200,
        )
        writer.record_contestant_failure(run_id, "dart-missing", failure)
        for workload, messages in (("batched", 1_000_000), ("one-by-one", 200_000)):
            for name in names:
                for repetition in range(5):
                    outcome = measurement(name, messages, repetition)
                    trial = Trial(
                        cell=Cell(client=name, workload=workload),
                        repetition=repetition,
                        started_at=started_at,
                        outcome=outcome,
                        observation=observation(name, outcome.duration_ns),
                    )
                    writer.record_trial(run_id, trial)
    return write_page(path).as_uri()


def test_every_chart_is_drawn_and_described(opened):
    page = opened(DESKTOP)
    charts = page.locator("[data-chart] svg")
    assert charts.count() == 3
    for chart in charts.all():
        assert chart.bounding_box()["width"] > 900
        assert chart.locator("path").count() > 5
    described = page.locator("[data-chart][aria-roledescription=visualization]")
    labels = [each.get_attribute("aria-label") for each in described.all()]
    assert any(
        "; ada-fast 232\u202fms; cobol-with-a-long-name" in label for label in labels
    )


@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_nothing_is_wider_than_the_screen(opened, width):
    page = opened(width)
    page.evaluate(OPEN_ALL)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    overflowing = page.evaluate(
        """[...document.querySelectorAll('main *')]
        .filter(each => !each.closest('.scroll, pre, svg, .hidden'))
        .filter(each => each.getBoundingClientRect().right > innerWidth + 1)
        .map(each => each.outerHTML.slice(0, 80))"""
    )
    assert overflowing == []


def test_labels_of_charts_stay_inside_on_a_narrow_screen(opened):
    page = opened(PHONE)
    overflowing = page.evaluate(
        """[...document.querySelectorAll('[data-chart] text')]
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
    row = page.locator(".more").nth(2)
    reason = row.get_by_text("Bottleneck: client CPU.")
    assert not reason.is_visible()
    row.locator("summary").click()
    assert reason.is_visible()
    assert row.get_by_text("server without room to send 80% of the time").is_visible()


def time_series(page, name):
    """Return the row of a cell's time series, scrolled into view."""
    row = page.locator(".series tr", has_text=name).first
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
    for begin, end in ends:
        assert -1 <= begin <= point
        assert SIDE - point <= end <= SIDE


def test_a_panel_shows_the_maximum_of_each_end(opened):
    page = opened(DESKTOP)
    row = time_series(page, "cobol-with-a-long-name")
    cores, resident = row.locator("td").nth(1), row.locator("td").nth(2)
    # Client and server, as in observation().
    assert cores.locator("small").inner_text().split() == ["1.00", "0.10"]
    label = resident.locator("svg").get_attribute("aria-label")
    assert label.startswith("resident memory: client at most 35")
    assert "server at most 35" in label


def test_a_metric_that_was_not_observed_has_a_reason(opened):
    page = opened(PHONE)
    page.evaluate(OPEN_ALL)
    row = time_series(page, "ada-fast")
    assert row.get_by_text("not observed").is_visible()
    assert row.locator("td svg").count() == 3
    reason = page.locator(".notes", has_text="no sock_diag")
    assert reason.is_visible()
    assert reason.inner_text().startswith("Not observed in 2 cells: sockets: ")


@pytest.mark.parametrize("width", [320, 375, 1280])
def test_labels_of_time_series_do_not_overlap(opened, width):
    page = opened(width)
    page.evaluate(OPEN_ALL)
    assert page.locator(".series td span").count() > 10
    touching = page.evaluate(
        """[...document.querySelectorAll('.series')].flatMap(table => {
            const labels = [...table.querySelectorAll('td span')];
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
        page = opened(DESKTOP, scheme)
        colours[scheme] = page.evaluate(
            """[getComputedStyle(document.body).backgroundColor,
            getComputedStyle(document.querySelector('[data-chart] text')).fill,
            getComputedStyle(document.querySelector('polyline')).stroke,
            getComputedStyle(document.querySelector('table th')).color]"""
        )
    assert all(a != b for a, b in zip(*colours.values(), strict=True))
