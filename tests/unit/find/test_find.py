"""The search for what a server takes: conditions, steps, the answer and its bounds."""

from dataclasses import replace

import pytest

from autostrada.errors import UsageError
from autostrada.find.command import above, count, exit_status, find, search_of, users
from autostrada.find.loader import Loader
from autostrada.find.points import Ceiling, Point, SearchResult
from autostrada.find.search import EdgeSearch
from autostrada.find.text import answer, ceiling_line, curve, needed, point_line
from autostrada.report.number import plain

SEARCH = EdgeSearch(first=100, last=10_000, factor=2, precision=0.05, repetitions=6)


def server(limit, generator_cpu=0.3, server_thread_cpu=None, **more):
    """Return a function that loads a server which takes so many messages."""

    def measure(value):
        is_met = value <= limit
        metrics = {
            "rate": min(value, limit),
            "p99": 0.001 if is_met else 0.2,
            "generator-cpu": generator_cpu,
        }
        if server_thread_cpu:
            metrics["server-thread-cpu"] = server_thread_cpu
        broken = () if is_met else ("p99 >= 50ms: p99 was 200 ms",)
        return Point(value=value, metrics=metrics, broken=broken, **more)

    return measure


def found(measure, search=SEARCH, budget_s=3600, ceiling=None):
    begun = SearchResult(vary="rate", ceiling=ceiling)
    *_, last = find(search, begun, measure, budget_s)
    return last


def test_numbers_have_the_units_of_load():
    assert [count(text) for text in ("250", "10k", "1.5m", "5k/s")] == [
        250,
        10_000,
        1_500_000,
        5_000,
    ]
    for text in ("", "0", "-5", "many", "5/s/conn"):
        with pytest.raises(UsageError, match="10k"):
            count(text)


def test_a_rate_is_searched_below_the_ceiling():
    search = search_of("rate", None, 80_000, steps=3, precision=0.05, repetitions=2)
    assert (search.first, search.last, round(search.factor)) == (800, 80_000, 10)
    search = search_of("pipeline", None, None, steps=3, precision=0.05, repetitions=2)
    assert (search.first, search.factor) == (1, 2.0)
    with pytest.raises(UsageError, match="lower --from"):
        search_of("rate", 9, 5, steps=3, precision=0.05, repetitions=2)


def test_the_edge_is_found_between_two_values():
    result = found(server(3_210))
    assert result.met <= 3_210 < result.violated
    assert result.violated - result.met <= 0.05 * result.violated
    assert result.confidence > 0.95
    assert result.is_complete
    assert exit_status(result, None) == 0
    first, second = answer(result)
    assert "messages/s (96.8% confidence)" in first
    assert second == "broke first: p99 >= 50ms: p99 was 200 ms"


def test_the_curve_has_a_row_for_each_value():
    head, *rows = curve(found(server(3_210)))
    assert head.split() == ["rate", "answered/s", "p99", "objective"]
    assert rows[0].split()[-4:] == ["met", "1", "of", "1"]
    assert len({len(row) for row in rows}) == 1


ONCE = replace(SEARCH, repetitions=1)
DELAYED = server(3_210, is_doubtful=True, repeats=2)
SURE, BROKE, BUSY = "(96.8% confidence)", "broke first: p99", "more threads (-t)"


@pytest.mark.parametrize(
    ("measure", "settings", "status", "parts"),
    [
        (server(10_000), {}, 0, ["at least 10"]),
        (server(0), {}, 4, ["is broken at 100 messages/s already", BROKE]),
        (server(3_210, generator_cpu=0.9), {}, 3, ["at least ", BROKE, BUSY]),
        (server(0, generator_cpu=0.9), {}, 3, ["is broken at 100", BROKE, BUSY]),
        (DELAYED, {}, 3, ["at least ", BROKE, "other programs", " loads repeated, in"]),
        (
            server(3_210, server_thread_cpu=0.991),
            {},
            0,
            [SURE, BROKE, "99.1% of a core"],
        ),
        (server(3_210, server_thread_cpu=0.4), {}, 0, [SURE, BROKE]),
        (server(3_210), {"budget_s": 0}, 0, ["at least 100 mess", "raise --budget"]),
        (server(3_210), {"search": ONCE}, 0, ["raise --repeats", BROKE]),
    ],
)
def test_each_line_of_an_answer_says_what_limits_it(measure, settings, status, parts):
    result = found(measure, **settings)
    assert exit_status(result, None) == status
    lines = answer(result)
    assert all(part in line for part, line in zip(parts, lines, strict=True)), lines


def test_one_busy_trial_of_the_load_generator_changes_nothing():
    tried = set()

    def measure(value):
        is_busy = value not in tried
        tried.add(value)
        return server(3_210, generator_cpu=0.9 if is_busy else 0.1)(value)

    assert not found(measure).is_lower_bound


def test_a_server_that_answers_no_more_has_its_ceiling_as_the_limit():
    def measure(value):
        metrics = {"rate": min(value, 2_000), "achieved": 1.0}
        return Point(value=value, metrics=metrics, is_answered=value <= 2_000)

    top = above(2_000, 0.05)
    assert top == 2_100
    search = replace(SEARCH, first=20, last=top)
    result = found(measure, search, ceiling=Ceiling(per_s=2_000, unanswered=7))
    assert exit_status(result, None) == 0
    first, last = answer(result)
    assert first.startswith(f"{plain(2_000)} messages/s: it answers no more (1")
    assert last.endswith("in a closed loop 7 were never answered")
    assert ceiling_line(result.ceiling).endswith("an open loop, as it drops messages")
    line = point_line("rate", measure(5_000))
    assert line.endswith(f"broken: only {plain(2_000)} messages/s were answered")


def test_a_ceiling_that_too_few_connections_made_is_exceeded():
    search = replace(SEARCH, first=2, last=above(200, 0.05))
    result = found(server(3_210), search, ceiling=Ceiling(per_s=200))
    assert 3_000 < result.met <= 3_210 < result.violated


def test_what_more_users_need_is_predicted_from_sustained_loads():
    def measure(value):
        metrics = {
            "server-cpu": 0.1 + value / 1_000,
            "server-memory": 50e6 + 10e3 * value,
        }
        broken = () if value <= 400 else ("p99 > 5ms: p99 was 9 ms",)
        return Point(value=value, metrics=metrics, broken=broken)

    result = SearchResult(
        vary="connections", points=[measure(n) for n in (100, 200, 400, 800)]
    )
    assert needed(result, 10_000).startswith("10,000 users need 10.1 cores")
    few = SearchResult(vary="connections", points=[measure(n) for n in (100, 200)])
    assert "fewer than three" in needed(few, 10_000)
    assert users("10k", "connections", ["--watch", "1"]) == 10_000
    for vary, options in [("rate", ["--watch=1"]), ("connections", [])]:
        with pytest.raises(UsageError, match="--watch-command"):
            users("10k", vary, options)


def test_less_than_is_asked_for_has_its_own_status():
    result = found(server(3_210))
    assert exit_status(result, 5_000) == 99
    assert exit_status(result, 1_000) == 0


def test_a_point_says_what_broke():
    measure = server(100)
    assert point_line("rate", measure(50)) == "rate 50: met"
    line = "rate 200: broken: p99 >= 50ms: p99 was 200 ms"
    assert point_line("rate", measure(200)) == line


def test_a_result_is_a_document():
    units = {"rate": "per_s", "p99": "s", "generator-cpu": "share"}
    document = SearchResult(vary="rate", points=[server(5, units=units)(1)]).document()
    assert document["met"] == 1
    metrics = {"rate_per_s": 1, "p99_s": 0.001, "generator_cpu_share": 0.3}
    assert document["points"][0]["metrics"] == metrics


@pytest.mark.parametrize("status", [130, 143])
def test_an_interrupted_load_ends_the_search(tmp_path, status):
    engine = tmp_path / "engine"
    engine.write_text(f"#!/bin/sh\nexit {status}\n")
    engine.chmod(0o700)
    times = {"step_time": "1s", "settle": "0s"}
    loader = Loader(engine=engine, options=[], objective="p99<1s", vary="rate", **times)
    with pytest.raises(SystemExit) as ended:
        loader.measure(1)
    assert ended.value.code == status
