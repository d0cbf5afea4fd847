"""Metrics for a collector of OpenTelemetry, received by a real HTTP server."""

import json
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from autostrada.errors import UsageError
from autostrada.runner.otlp import endpoint_of, send
from autostrada.store.history import LoadMetric, SavedLoad

LOAD = SavedLoad(
    name="before",
    at=datetime(2026, 5, 4, 12, 30, tzinfo=UTC),
    asked="",
    limit="",
    metrics=[LoadMetric(name="p99", title="99 % quantile", unit="s", value=0.25)],
)


@contextmanager
def collector(status):
    received = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.path, self.headers["Content-Type"], body))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", received
        thread.join()


def test_a_collector_receives_a_gauge_for_each_metric():
    with collector(200) as (url, received):
        send(LOAD, url)
    ((path, kind, body),) = received
    assert (path, kind) == ("/v1/metrics", "application/json")
    (resource,) = json.loads(body)["resourceMetrics"]
    (scope,) = resource["scopeMetrics"]
    (metric,) = scope["metrics"]
    (point,) = metric["gauge"]["dataPoints"]
    assert (metric["name"], metric["unit"]) == ("autostrada.load.p99", "s")
    assert (point["asDouble"], point["timeUnixNano"]) == (0.25, "1777897800000000000")
    assert point["attributes"] == [{"key": "load", "value": {"stringValue": "before"}}]


def test_a_collector_that_refuses_the_metrics_is_named():
    with (
        collector(503) as (url, _),
        pytest.raises(UsageError, match=r"did not take the metrics.*503"),
    ):
        send(LOAD, url)
    with pytest.raises(UsageError, match=r"did not take the metrics.*refused"):
        send(LOAD, "http://127.0.0.1:1")


def test_a_path_of_the_url_is_kept():
    assert endpoint_of("https://a:4318/") == "https://a:4318/v1/metrics"
    assert endpoint_of("http://a/otlp/v1/metrics") == "http://a/otlp/v1/metrics"
    for url in ("localhost:4318", "grpc://a:4317", ""):
        with pytest.raises(UsageError, match="http://localhost:4318"):
            endpoint_of(url)
