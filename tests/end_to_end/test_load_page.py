"""The page of a load, written by the command line and opened in a real browser."""

import json
import signal
import subprocess

import pytest
from command_line import COMMAND, autostrada

LIMIT_S = 120
PHONE = 375
DESKTOP = 1280


@pytest.fixture(scope="module")
def files(engine_url, tmp_path_factory):
    folder = tmp_path_factory.mktemp("load")
    files = folder / "load.html", folder / "load.json"
    ended = autostrada(
        "load",
        *(engine_url, "-d", "3s", "--warm-up", "0s", "-r", "200/s"),
        *("--html", files[0], f"--json={files[1]}", "--fail-if", "rate < 1k/s"),
    )
    assert ended.returncode == 99, ended.stderr
    assert "answered " in ended.stdout
    return files


@pytest.fixture(scope="module")
def page_url(files):
    return files[0].as_uri()


def test_the_page_has_the_limit_the_metrics_and_the_charts(opened, files):
    page = opened(DESKTOP)
    document = json.loads(files[1].read_text())
    assert page.locator("h1").text_content() == document["asked"]
    assert document["limit"] in page.locator(".headline").text_content()
    rows = page.locator("tbody tr").count()
    assert rows == len(document["conditions"]) + len(document["metrics"]) > 10
    charts = opened.whole(DESKTOP).locator(".chart svg")
    assert charts.count() == 4
    assert all(chart.bounding_box()["width"] > 900 for chart in charts.all())


def test_nothing_is_wider_than_the_screen(opened):
    assert opened.overflowing(PHONE) == []


def test_wrong_options_of_the_engine_leave_no_page(tmp_path):
    ended = autostrada(
        "load", "ws://127.0.0.1:1/", f"--html={tmp_path / 'page.html'}", "-z", "1s"
    )
    assert ended.returncode == 2
    assert not (tmp_path / "page.html").exists()


def test_an_interrupted_load_has_a_page(engine_url, tmp_path):
    path = tmp_path / "page.html"
    with subprocess.Popen(
        [COMMAND, "load", engine_url, "-d", "1h", "--warm-up", "0s", "--html", path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT_S) == 143
    assert "interrupted" in path.read_text()
