"""What users cost, by the figures of a race made by hand."""

import io

import pytest
from rich.console import Console

from autostrada.errors import UsageError
from autostrada.report.cost import Question, print_cost
from autostrada.stats.efficiency import Prices


def question(path, *, core_hour=0.04, gib_hour=0.005, messages_per_user_s=1.0):
    return Question(
        run="1",
        store=path,
        prices=Prices(core_hour=core_hour, gib_hour=gib_hour),
        messages_per_user_s=messages_per_user_s,
    )


def printed(asked):
    console = Console(file=io.StringIO(), width=80)
    print_cost(asked, console)
    return console.file.getvalue()


def test_a_row_a_contestant_the_cheapest_first(race_path):
    text = printed(question(race_path, gib_hour=0))
    assert max(map(len, text.splitlines())) <= 80
    lines = [line.split() for line in text.splitlines()]
    assert ["ada-fast", "5.00", "M", "0.20", "12.0", "0.20", "11,719", "5.84"] in lines
    names = ["reference", "ada-fast", "cobol-mid", "bash-slow"]
    batched, _ = text.split("\none-by-one\n")
    assert sorted(names, key=batched.index) == names


def test_who_has_no_figures_is_named(race_path):
    text = printed(question(race_path))
    assert "without figures in batched: dart-missing" in text


def test_it_says_what_the_figures_assume(race_path):
    words = " ".join(printed(question(race_path)).split())
    assert "1,000,000 users, 1 messages/s each; 0.04 a core-hour" in words
    assert "cores = users × messages/s of each × CPU time a message" in words
    assert "what it takes to run a million of them, each a process" in words


def test_a_price_that_is_no_number_is_refused(race_path):
    with pytest.raises(UsageError, match="must be numbers: --core-hour"):
        printed(question(race_path, core_hour=float("inf")))
