"""Tests of a server's settings and of its workers."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from autostrada_kit import ServerSettings
from autostrada_kit.feed import FeedFormat
from autostrada_kit.serving import TURN_MESSAGES, FeedSettings
from autostrada_kit.variables import SettingsError

STOCKS_FILE = Path(__file__).parents[1] / "stocks.csv"


def test_a_port_is_enough():
    settings = ServerSettings.read({"PORT": "8008"})
    assert settings == ServerSettings(host="127.0.0.1", port=8008)
    assert settings.tls_context() is None


def test_reads_all():
    environment = {
        "HOST": "127.0.0.2",
        "PORT": "8008",
        "WORKERS": "2",
        "COMPRESSION": "deflate",
        "FEED": "stocks",
        "ENCODING": "binary",
        "STOCKS": "3",
        "BARS": "30",
        "STOCKS_FILE": str(STOCKS_FILE),
        "SUBSCRIBERS": "8",
        "EVERY_MS": "0.5",
        "SECONDS": "1.5",
        "PACE": "unpaced",
    }
    assert ServerSettings.read(environment) == ServerSettings(
        host="127.0.0.2",
        port=8008,
        workers=2,
        deflate=True,
        feed=FeedSettings(
            format=FeedFormat("stocks", "binary", bars=30),
            stocks=3,
            stocks_file=STOCKS_FILE,
            subscribers=8,
            every_ns=500_000,
            duration_ns=1_500_000_000,
            pace="unpaced",
        ),
    )


@pytest.mark.parametrize(
    ("given", "is_paced", "turn_messages"),
    [
        ({}, True, TURN_MESSAGES),
        ({"EVERY_MS": "5"}, False, TURN_MESSAGES),
        ({"PACE": "paced"}, True, TURN_MESSAGES),
        ({"PACE": "unpaced"}, False, 1),
        ({"PACE": "dropping"}, False, 1),
        ({"PACE": "unpaced", "EVERY_MS": "5"}, False, 1),
    ],
)
def test_a_continuous_feed_is_paced_by_default(given, is_paced, turn_messages):
    settings = FeedSettings.read({"FEED": "hello", "SECONDS": "1"} | given)
    assert (settings.is_paced, settings.turn_messages) == (is_paced, turn_messages)


@pytest.mark.parametrize(
    ("variable", "given"),
    [
        ("PORT", {"PORT": "0"}),
        ("PORT", {"PORT": "65536"}),
        ("WORKERS", {"WORKERS": "0"}),
        ("COMPRESSION", {"COMPRESSION": "gzip"}),
        ("TLS_KEY", {"TLS_CERT": "certificate.pem"}),
        ("TLS_CERT", {"TLS_KEY": "key.pem"}),
        ("TLS_CERT", {"TLS_CERT": "none.pem", "TLS_KEY": "none.pem"}),
        ("FEED", {"FEED": "weather", "MESSAGES": "1"}),
        ("ENCODING", {"FEED": "hello", "ENCODING": "xml", "MESSAGES": "1"}),
        ("MESSAGES", {"FEED": "hello"}),
        ("MESSAGES", {"FEED": "hello", "MESSAGES": "1", "SECONDS": "1"}),
        ("SECONDS", {"FEED": "hello", "SECONDS": "0"}),
        ("EVERY_MS", {"FEED": "hello", "MESSAGES": "1", "EVERY_MS": "0"}),
        ("EVERY_MS", {"FEED": "hello", "MESSAGES": "1", "EVERY_MS": "0.0000001"}),
        ("SUBSCRIBERS", {"FEED": "hello", "MESSAGES": "1", "SUBSCRIBERS": "0"}),
        ("STOCKS", {"FEED": "hello", "MESSAGES": "1", "STOCKS": "1000001"}),
        ("BARS", {"FEED": "stocks", "MESSAGES": "1", "BARS": "0"}),
        ("BARS", {"FEED": "stocks", "MESSAGES": "1", "BARS": "10001"}),
        ("PACE", {"FEED": "hello", "MESSAGES": "1", "PACE": "fast"}),
        ("STOCKS_FILE", {"FEED": "stocks", "MESSAGES": "1"}),
        (
            "STOCKS_FILE",
            {"FEED": "stocks", "MESSAGES": "1", "STOCKS_FILE": "/none.csv"},
        ),
        ("STOCKS_FILE", {"FEED": "stocks", "MESSAGES": "1", "STOCKS_FILE": __file__}),
    ],
)
def test_names_the_variable_that_is_missing_or_wrong(variable, given):
    with pytest.raises(SettingsError, match=f"^{variable} ") as error:
        ServerSettings.read({"PORT": "8008"} | given)
    assert "\n" not in str(error.value)


PROGRAM = """
import os, time
from autostrada_kit import run_workers

def serve():
    print(os.getpid(), flush=True)
    {then}
    time.sleep(60)

run_workers(2, serve)
"""


def start_workers(then):
    """Start two workers, each of which runs ``then`` after printing its pid."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(then=then)],
        env={"PYTHONPATH": str(Path(__file__).parent)},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_workers_end_with_their_parent():
    with start_workers("pass") as process:
        workers = {int(process.stdout.readline()) for _ in range(2)}
        assert len(workers) == 2
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 1
    expect_gone(workers)


def test_a_sigterm_before_all_workers_are_started_ends_all():
    with start_workers("os.kill(os.getppid(), 15)") as process:
        output, _ = process.communicate(timeout=20)
        assert process.returncode == 1
    workers = [int(worker) for worker in output.splitlines()]
    assert workers
    expect_gone(workers)


def expect_gone(workers):
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)
