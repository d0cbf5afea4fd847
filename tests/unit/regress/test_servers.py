"""Commands of a server as both sides, and what loads them."""

import subprocess

import pytest

from autostrada.errors import UsageError
from autostrada.experiment.experiment import read_experiment
from autostrada.experiment.override import overridden
from autostrada.regress.servers import echoes_of, find_servers
from autostrada.regress.workloads import WORKLOADS, choose_workloads

EXPERIMENT = read_experiment(WORKLOADS)[0]
URL = "ws://127.0.0.1:{port}/chat?room=1"


def test_a_command_runs_in_this_folder_with_its_port_and_variables(
    tmp_path, monkeypatch
):
    folder = tmp_path / "a folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    texts = "SPEED=2 sh -c 'echo $SPEED $0; pwd' {port}", "true"
    with find_servers(texts, is_same=False) as sides:
        assert [side.label for side in sides] == [*texts]
        program = sides[0].contestant.program("server")
        assert program
        ran = subprocess.run(
            program.command,
            env={"PATH": "/usr/bin:/bin", "PORT": "8008"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
    assert ran.stdout.splitlines() == ["2 8008", str(folder)]


def test_the_same_command_twice_is_refused_unless_asked_for():
    with (
        pytest.raises(UsageError, match=r"true and true are the same: .*--same"),
        find_servers(("true", "true"), is_same=False),
    ):
        pass
    with find_servers(("true", "true"), is_same=True) as sides:
        assert {side.contestant.name for side in sides} == {"own-before", "own-after"}


def test_echoes_without_tls_load_the_path_of_the_url():
    given = echoes_of(URL, 100, EXPERIMENT)
    with find_servers(("true", "false"), is_same=False) as sides:
        contestants = [side.contestant for side in sides]
        chosen = choose_workloads(EXPERIMENT, contestants, 3600.0, given)
    assert chosen.names == ("echo", "echo-16k", "echo-rate")
    assert chosen.left_out == ()
    changed = overridden(EXPERIMENT, chosen.overrides).workload
    echo, at_rate = (each for each in changed if each.name in {"echo", "echo-rate"})
    assert (echo.path, echo.reply, echo.connections) == ("/chat?room=1", "next", 100)
    assert at_rate.connections / at_rate.every_ms == pytest.approx(64 / 12.8)
    of_file = overridden(EXPERIMENT, ['echo.path="/mine"', 'echo.reply="same"'])
    given = echoes_of(URL, None, of_file)
    assert given["echo"] == ()


@pytest.mark.parametrize(
    "url", ["wss://127.0.0.1:{port}/", "ws://example.org:{port}/", "ws://127.0.0.1:80/"]
)
def test_other_urls_are_refused(url):
    with pytest.raises(UsageError, match=r"write it like ws://127.0.0.1:\{port\}/path"):
        echoes_of(url, None, EXPERIMENT)


def test_an_experiment_without_an_echo_is_refused():
    pushes = tuple(each for each in EXPERIMENT.workload if each.kind == "push")
    without = EXPERIMENT.model_copy(update={"workload": pushes})
    with pytest.raises(UsageError, match="needs a workload of kind echo"):
        echoes_of(URL, None, without)
