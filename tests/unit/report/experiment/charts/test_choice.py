"""Which charts an experiment has, and where they stand."""

from dataclasses import replace

from autostrada.report.experiment.charts.choice import experiment_charts


def test_charts_are_named_by_the_group_of_their_figure(market):
    titles = {name: each.title for name, each in experiment_charts(market, []).items()}
    assert titles["throughput-1"].startswith("Throughput: received a second, over")
    assert titles["latency-1"].startswith("Latency: mean latency, over client")
    assert all(
        title.lower().startswith(name.partition("-")[0].lower())
        for name, title in titles.items()
    )


def test_a_search_is_drawn_by_what_it_looks_at(market):
    charts = experiment_charts(market, []).values()
    searched = [each.title for each in charts if "ramp" in each.title]
    assert searched == [
        "Throughput: achieved of the offered, over events offered a second (ramp, "
        "ada-server, engine)"
    ]


def test_nothing_measured_makes_no_charts(market):
    assert experiment_charts(replace(market, outcomes={}, searches=()), []) == {}
