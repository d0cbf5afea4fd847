"""Two real runs compared: output, exit status and refusals."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("autostrada")
WORKS = "faulty-client"
OTHER = "faulty-other"
PRICES = ["--core-hour", "0.04", "--gib-hour", "0.005", "--messages-per-user-s", "1"]


@pytest.fixture(scope="module")
def runs(workspace):
    """Run 1 has two contestants, run 2 only one of them."""
    workspace.add()
    workspace.add(OTHER)
    workspace.plan(WORKS, OTHER, repetitions=3, messages=20_000)
    for options in ([], ["--contestant", WORKS]):
        finished = workspace.run(*options)
        assert finished.returncode == 0, finished.stderr
    return workspace


@pytest.fixture(scope="module")
def autostrada(runs):
    def run(command, *arguments):
        return subprocess.run(
            [str(COMMAND), command, *arguments, "--store", str(runs.store)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env=os.environ | {"COLUMNS": "80"},
        )

    return run


FIGURES = ["cold/1M", "server CPU", "client CPU", "srv. mem.", "cl. mem."]


def figures(text):
    """Return lines with a figure's name, two medians and their ratio."""
    names = "|".join(map(re.escape, FIGURES))
    return re.findall(rf"^ +({names}) +(?:[≤≥] )?\d.* \d.*\d×", text, re.MULTILINE)


def test_two_runs_are_compared_cell_by_cell(autostrada, runs):
    compared = autostrada("compare", "1", "2")
    assert compared.returncode == 0, compared.stderr
    assert compared.stderr == ""
    assert max(map(len, compared.stdout.splitlines())) <= 80
    assert figures(compared.stdout) == FIGURES * 2, compared.stdout
    assert f"{OTHER} in many-frames: only in A; B: not measured" in compared.stdout
    text = " ".join(compared.stdout.split())
    assert re.search(
        rf"Compared with A, B is (faster \(|slower \(|indistinguishable in ){WORKS} ",
        text,
    )


def test_files_and_numbers_name_the_same_runs(autostrada, runs):
    by_number = autostrada("compare", "1", "2")
    by_file = autostrada("compare", f"{runs.store}#1", str(runs.store))
    assert by_file.stdout == by_number.stdout


def test_two_contestants_of_a_run_are_compared(autostrada):
    compared = autostrada("compare", WORKS, OTHER, "--run", "1")
    assert compared.returncode == 0, compared.stderr
    assert f"{WORKS} → {OTHER} · 3 repetitions each" in compared.stdout


def test_a_condition_that_is_not_met_passes(autostrada):
    compared = autostrada("compare", "1", "2", "--fail-if", "ms_per_million > +900000%")
    assert compared.returncode == 0, compared.stderr
    assert "holds: ms_per_million > +900000%: in 1 cell" in compared.stdout


def test_a_condition_that_is_met_fails_and_names_the_cell(autostrada):
    compared = autostrada(
        *("compare", "1", "2", "--fail-if", "ms_per_million > +900000%"),
        *("--fail-if", "ms_per_million < +900000%"),
    )
    assert compared.returncode == 1, compared.stderr
    text = " ".join(compared.stdout.split())
    assert "holds: ms_per_million > +900000%: in 1 cell" in text
    assert f"fails: ms_per_million < +900000%: {WORKS} in many-frames: " in text


def test_markdown_begins_with_the_conclusion_and_has_the_same_status(autostrada):
    compared = autostrada(
        *("compare", "1", "2", "--markdown", "--fail-if", "messages_per_s > -99.9%")
    )
    assert compared.returncode == 1, compared.stderr
    lines = compared.stdout.splitlines()
    assert lines[0].startswith("**Compared with A, B is ")
    assert lines[2].startswith(
        "- fails: messages\\_per\\_s &gt; -99.9%: faulty-client in many-frames"
    )
    assert sum(line.startswith(f"| many-frames | {WORKS} | ") for line in lines) == 1
    again = autostrada(
        *("compare", "1", "2", "--markdown", "--fail-if", "messages_per_s > -99.9%")
    )
    assert again.stdout == compared.stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["1", "1"], "1 and 1 are the same: name two"),
        (["1", "9"], "{store} holds no run 9, only 1, 2"),
        (["1", WORKS], f"1 is a run and {WORKS} a contestant: name two runs, or two "),
        (["ada", WORKS], "run 2 of {store} has no contestant 'ada', only "),
        (
            ["1", "2", "--fail-if", "p99 > +5%"],
            "--fail-if 'p99 > +5%': no figure is called 'p99'; did you mean "
            "latency_ms_p99 or response_ms_p99 or connect_ms_p99? ",
        ),
        (
            ["1", "2", "--fail-if", "latency_ms_p99 > +5%"],
            "--fail-if 'latency_ms_p99 > +5%' cannot be judged in any cell: "
            "latency_ms_p99 is not known",
        ),
        (
            ["1", "2", "--fail-if", "messages_per_s < 5%"],
            "--fail-if 'messages_per_s < 5%' is no condition; ",
        ),
        (
            ["1", "2", "--fail-if", "messages_per_s < 5"],
            "--fail-if 'messages_per_s < 5' cannot be judged in ",
        ),
    ],
)
def test_an_impossible_comparison_is_refused_in_one_line(
    autostrada, runs, arguments, line
):
    refused = autostrada("compare", *arguments)
    assert refused.returncode == 2, refused.stderr
    assert refused.stdout == ""
    assert refused.stderr.startswith(f"autostrada: {line.format(store=runs.store)}")
    assert refused.stderr.count("\n") == 1


def test_the_cost_of_a_run_is_reported_by_contestant(autostrada):
    priced = autostrada("cost", "1", *PRICES)
    assert priced.returncode == 0, priced.stderr
    assert "1,000,000 users, 1 messages/s each" in priced.stdout
    for name in (WORKS, OTHER, "reference"):
        assert re.search(rf"^{name} .*\d$", priced.stdout, re.MULTILINE)


def test_prices_must_be_given(autostrada):
    refused = autostrada("cost", "1")
    assert refused.returncode == 2
    assert "--core-hour" in refused.stderr
