"""Metrics of a load for a collector of OpenTelemetry, sent to it by OTLP over HTTP."""

import json
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import Request, urlopen

from autostrada.errors import UsageError
from autostrada.store.history import SavedLoad

METRICS_PATH = "/v1/metrics"
"""Path at which a collector receives metrics (OTLP specification, OTLP/HTTP)."""

TIMEOUT_S = 10

_UNITS = {"s": "s", "per_s": "{message}/s", "bytes": "By"}
"""Units of the Unified Code for Units of Measure; all others are ``1``."""


def send(load: SavedLoad, url: str) -> None:
    """
    Send each metric as a gauge called ``autostrada.load.NAME``.

    Raises:
        UsageError: the URL is none of HTTP, or the collector did not take the metrics.
    """
    endpoint = endpoint_of(url)
    request = Request(
        endpoint,
        data=json.dumps(export_request(load)).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urlopen(request, timeout=TIMEOUT_S):
            pass
    except (URLError, OSError) as error:
        raise UsageError(
            f"--otlp: {endpoint} did not take the metrics: {error}"
        ) from error


def export_request(load: SavedLoad) -> dict[str, Any]:
    """Return an ``ExportMetricsServiceRequest`` in the JSON encoding of OTLP."""
    at_ns = int(load.at.timestamp() * 1e9)
    metrics = [
        {
            "name": f"autostrada.load.{metric.name}",
            "description": metric.title,
            "unit": _UNITS.get(metric.unit, "1"),
            "gauge": {
                "dataPoints": [
                    {
                        "asDouble": metric.value,
                        "timeUnixNano": str(at_ns),
                        "attributes": [_attribute("load", load.name)],
                    }
                ]
            },
        }
        for metric in load.metrics
    ]
    scope = {"scope": {"name": "autostrada"}, "metrics": metrics}
    resource = {"attributes": [_attribute("service.name", "autostrada")]}
    return {"resourceMetrics": [{"resource": resource, "scopeMetrics": [scope]}]}


def endpoint_of(url: str) -> str:
    """
    Return the address for metrics of a collector's URL.

    Raises:
        UsageError: it is not a URL of HTTP.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise UsageError(f"--otlp: {url!r} is not a URL such as http://localhost:4318")
    path = METRICS_PATH if parts.path in {"", "/"} else parts.path
    return urlunsplit(parts._replace(path=path))


def _attribute(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}
