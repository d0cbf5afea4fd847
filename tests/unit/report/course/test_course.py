"""The courses of the race made by hand."""

from dataclasses import replace

import pytest

from autostrada.report.course.course import Missing, read_courses
from autostrada.report.race.race import read_race
from autostrada.store.reader import StoreReader
from autostrada.store.writer import StoreWriter


@pytest.fixture(scope="module")
def race(reader):
    return read_race(reader)


@pytest.fixture(scope="module")
def courses(reader, race):
    return read_courses(reader, race)


@pytest.fixture(scope="module")
def slow(courses):
    """Four seconds, of 3.9 to 4.1."""
    return courses["batched", "bash-slow"]


def middle(panel):
    return {each.process: each.line for each in panel.traces if each.is_middle}


def test_every_measured_cell_has_one(courses):
    assert len(courses) == 8
    assert ("batched", "dart-missing") not in courses


def test_its_time_is_that_of_the_longest_repetition(slow):
    assert slow.duration_s == pytest.approx(4.1)


def test_the_panels_say_their_units(slow):
    assert [panel.title for panel in slow.panels] == [
        "messages a second",
        "CPU, cores",
        "resident memory, MiB",
        "queues, KiB: Send-Q of the server, Recv-Q of the client",
    ]
    assert [panel.absence for panel in slow.panels] == [""] * 4


def test_each_repetition_has_a_trace_and_the_median_one_is_marked(slow):
    throughput, cpu, memory, queues = slow.panels
    assert [len(panel.traces) for panel in slow.panels] == [5, 10, 10, 10]
    assert {
        trace.repetition
        for panel in (throughput, cpu, memory, queues)
        for trace in panel.traces
        if trace.is_middle
    } == {2}


def test_messages_are_counted_each_second(slow):
    line = middle(slow.panels[0])["client"]
    assert line == tuple(
        (at_s, 250_000) for second in range(4) for at_s in (second, second + 1)
    )


def test_a_short_rest_belongs_to_the_second_before_it(slow):
    # 4.1 s: 3 seconds of 243,902 messages, the fourth with the tenth after it.
    [longest] = [each.line for each in slow.panels[0].traces if each.repetition == 4]
    assert [at_s for at_s, _ in longest][-2:] == [3, 4.1]
    assert longest[-1][1] == pytest.approx(1_000_000 / 4.1, rel=1e-5)


def test_cpu_is_the_difference_of_two_looks(slow):
    cpu = middle(slow.panels[1])
    assert [level for _, level in cpu["client"]] == pytest.approx([1.0] * 78)
    assert [level for _, level in cpu["server"]] == pytest.approx([0.01] * 78)


def test_what_was_seen_before_or_after_is_left_out(slow):
    memory = middle(slow.panels[2])
    assert (memory["client"][0], memory["client"][-1]) == ((0.05, 10), (3.95, 13))
    assert {level for _, level in memory["server"]} == {5}


def test_queues_are_those_that_tell_who_waits(slow):
    queues = middle(slow.panels[3])
    assert {level for _, level in queues["server"]} == {2048}
    assert {level for _, level in queues["client"]} == {512}


def test_a_trial_that_was_over_before_a_look_has_means(courses):
    # 20 ms, of which one look at 50 ms sees nothing.
    throughput, cpu, *observed = courses["batched", "reference"].panels
    assert throughput.title == "messages a second, mean of each repetition"
    assert middle(throughput)["client"] == ((0, 50e6), (0.02, 50e6))
    assert cpu.title == "CPU, cores, mean of each repetition"
    assert middle(cpu)["client"] == ((0, 0.7), (0.02, 0.7))
    assert {panel.absence for panel in observed} == {
        "It was over before it was looked at."
    }


def test_a_single_look_shows_levels_and_makes_no_rate(run, all_trials, tmp_path):
    trial = next(each for each in all_trials if each.cell.contestant == "ada-fast")
    seen = trial.observation
    once = replace(
        seen,
        process_samples=seen.process_samples[2:4],
        socket_samples=seen.socket_samples[2:4],
    )
    with StoreWriter.create_or_open(tmp_path / "once.duckdb") as writer:
        run_id = writer.start_run(run)
        writer.record_trial(run_id, replace(trial, is_warm_up=False, observation=once))
    with StoreReader.open(tmp_path / "once.duckdb") as reader:
        [course] = read_courses(reader, read_race(reader)).values()
    _, cpu, memory, queues = course.panels
    assert cpu.title.endswith("mean of each repetition")
    assert middle(memory) == {"client": ((0.05, 10),), "server": ((0.05, 5),)}
    assert middle(queues) == {"client": ((0.05, 512),), "server": ((0.05, 2048),)}


def test_a_figure_that_could_not_be_had_is_missing_with_its_reason(courses):
    course = courses["one-by-one", "cobol-mid"]
    assert course.missing == (
        Missing(
            figure="sockets",
            reason="the kernel <knows> no sock_diag",
            repetitions=(0, 1, 2, 3, 4),
        ),
    )
    assert course.panels[3].absence == "Not observed."
    assert course.panels[3].traces == ()
    assert course.panels[1].traces


def test_a_crashed_repetition_has_no_trace(courses):
    course = courses["batched", "cobol-mid"]
    assert {trace.repetition for trace in course.panels[0].traces} == {0, 1, 2, 3}


def test_a_run_of_which_nothing_is_known_has_throughput_alone(reader, race):
    other = replace(race, run_id=99)
    for course in read_courses(reader, other).values():
        throughput, cpu, *others = course.panels
        assert throughput.traces
        assert cpu.absence == "Not observed."
        assert {panel.absence for panel in others} == {"Not observed."}
