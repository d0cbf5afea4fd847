"""The outcome of each cell of a run, and its samples."""

from dataclasses import replace
from math import inf

import pytest
from tests.unit.report.market import RUN

from autostrada.report.number import THIN_SPACE
from autostrada.report.samples import Sampled, combine, ratio_of
from autostrada.stats.metrics import METRICS
from autostrada.stats.verdict import Bottleneck


def test_each_planned_cell_has_an_outcome_in_order(market):
    assert [str(cell) for cell in market.outcomes][:4] == [
        "ada-server in json processes=1 stocks=1",
        "cobol-server in json processes=1 stocks=1",
        "dart-server in json processes=1 stocks=1",
        "ada-server in json processes=1 stocks=10",
    ]
    assert len(market.outcomes) == 3 * 4 + 4


@pytest.mark.parametrize(
    ("changes", "written"),
    [
        ({"bottleneck": Bottleneck.LOAD_GENERATOR}, ["≥ 1,000", "≤ 5 ms", "100%"]),
        ({"bottleneck": Bottleneck.UNCLEAR}, ["1,000", "5 ms"]),
        ({"is_late": True}, ["1,000", "≤ 5 ms", "100%"]),
    ],
)
def test_metrics_are_bounds_if_the_engine_was_the_limit_or_late(
    market, ada_cell, changes, written
):
    outcome = market.outcomes[ada_cell]
    limited = replace(outcome, verdict=replace(outcome.verdict, **changes))
    names = ["received_per_client_per_s", "latency_ms_max", "server_cpu_utilization"]
    found = [limited.written(METRICS[name]).replace(THIN_SPACE, " ") for name in names]
    assert found[: len(written)] == written
    results = replace(market, outcomes={ada_cell: limited})
    assert bool(results.bounds_note) is any(each[0] in "≥≤" for each in written)


def test_a_planned_cell_without_trials_is_missing(market, cell, results_of):
    assert market.missing == 0
    cut = results_of(attempts=1)
    assert cut.outcomes[cell("ada", 1, 1)].missing == 4
    assert cut.missing == (8 + 4) * 5 - 1


def test_a_disturbed_trial_that_was_repeated_does_not_count(market, cell):
    outcome = market.outcomes[cell("ada", 1, 1)]
    assert (outcome.measured, len(outcome.disturbances)) == (5, 1)
    assert [each.description for each in market.disturbances] == [
        "others used 40% of core 1"
    ]
    assert len(market.trials) == (8 + 4) * 5 + 1


def test_a_quick_run_has_its_own_cells_and_keeps_the_published_ones(results_of):
    sweep = "sweep.processes = [1, 2]\n"
    definition = RUN.definition.replace(sweep, f"quick = {{ sweep = {{}} }}\n{sweep}")
    plan = RUN.plan.replace('"is_quick": false', '"is_quick": true')
    results = results_of(attempts=0, run=replace(RUN, definition=definition, plan=plan))
    workloads = {cell.workload for cell in results.outcomes}
    assert {each for each in workloads if each.startswith("json")} == {"json"}
    assert len(results.publication.table) == 3


def test_resident_memory_by_thirds_is_a_lower_bound(market, cell):
    gib = 2**30
    assert market.memory_lower_bounds == {
        cell("cobol", 2, 10): {
            "server_memory_bytes_max": (8.0 * gib,) * 5,
            # The trial was ended 5 s after the beginning of a feed of 10 s.
            "server_memory_bytes_third_1": (3.0 * gib,) * 5,
            "server_memory_bytes_third_2": (8.0 * gib,) * 5,
            "server_memory_bytes_third_3": (8.0 * gib,) * 5,
        }
    }


@pytest.mark.parametrize(
    ("of_process", "how", "value"),
    [
        ({"client": 7.0, "client 1": 1.0, "client 2": 3.0}, "sum", 7),
        ({"server": 5.0}, "mean", 5),
        ({"client 1": 1.0, "client 2": 3.0}, "sum", 4),
        ({"client 1": 1.0, "client 2": 3.0}, "mean", 2),
        ({"client 1": 1.0, "client 2": 3.0}, "max", 3),
    ],
)
def test_a_value_of_an_end_stands_for_all_its_processes(of_process, how, value):
    assert combine(of_process, how) == value


def test_a_metric_has_a_value_for_each_counted_trial(market, ada_cell):
    received = market.outcomes[ada_cell].metrics["received_per_client_per_s"]
    assert received.values == pytest.approx((990, 1005, 1000, 995, 1010))


def test_an_unknown_metric_has_no_samples(market):
    metrics = [each.metrics for each in market.outcomes.values()]
    assert sum("achieved_share" in each for each in metrics) == 4
    assert not any("mood_of_the_author" in each for each in metrics)


def test_a_ratio_of_samples_has_no_bound_at_zero():
    one, two = Sampled(values=(1, 1, 1)), Sampled(values=(2, 2, 2))
    assert ratio_of(two, one).value == 2
    assert ratio_of(two, Sampled(values=(1, 0, 1))).high == inf


def test_the_ratio_of_a_lower_bound_has_the_widest_bounds():
    most, least = Sampled(values=(100,), lower_bounds=1), Sampled(values=(10, 20))
    ratio = ratio_of(most, least)
    assert (ratio.value, ratio.low, ratio.high) == (100 / 15, 5, inf)
    assert ratio.confidence == 0.5
    below = ratio_of(least, most)
    assert (below.low, below.high) == (0, 0.2)
