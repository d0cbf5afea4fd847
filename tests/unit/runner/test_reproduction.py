"""Commands of a cell can be run by a shell, and each cell has them."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import pytest
from tests.unit.definitions import define, make_experiment
from tests.unit.programs import shell

from autostrada.contestants.catalog import find_catalog
from autostrada.engine.process import find_engine
from autostrada.machine.certificates import temporary_certificates
from autostrada.machine.host import this_host
from autostrada.machine.ports import await_listener, reserved_port
from autostrada.runner import reproduction as module
from autostrada.runner.context import RunContext, fitting_workloads
from autostrada.runner.endpoints import BuiltProgram
from autostrada.runner.reproduction import Line, blocks, reproduction, together

SLICES = {"warm_up_s": 0, "window_s": 0.5, "slices": 2}
PRINTER = "import os; print(os.getcwd(), os.environ['URL'], os.environ['TEXT'])"


@pytest.fixture(scope="module")
def context():
    with temporary_certificates() as certificates:
        yield RunContext(
            experiment=make_experiment(
                define("push"),
                define("feed", seconds=3, tls=True),
                define("echo", connections=3, every_ms=50, warm_up_s=0, window_s=2),
                define("echo", "slices", in_flight=1, **SLICES),
            ),
            engine=find_engine(),
            host=this_host(),
            certificates=certificates,
        )


def printed_by(text, deadline_s):
    """Return the output of a command."""
    return subprocess.run(
        ["sh", "-c", text],
        capture_output=True,
        text=True,
        timeout=deadline_s - time.monotonic(),
        check=True,
    ).stdout


@pytest.mark.parametrize("name", ["push", "feed", "echo", "slices"])
def test_a_pasted_command_is_a_trial(context, name, deadline_s, monkeypatch):
    with reserved_port() as port:
        monkeypatch.setattr(module, "PORT", port)
        servers, clients = reproduction(
            context, context.experiment.points()[name], context.endpoints()
        )
        with shell(servers) as serving:
            assert await_listener(serving, port, deadline_s)
            printed = printed_by(clients, deadline_s)
    result = json.loads(printed.splitlines()[-1])
    assert result["event"] == "result"
    assert result["messages"] > 0 == result["wrong"]


def test_a_contestant_runs_in_its_folder_with_its_environment(
    context, tmp_path, deadline_s
):
    folder = tmp_path / "it's here"
    folder.mkdir()
    program = BuiltProgram(
        arguments=[sys.executable, "-c", PRINTER],
        folder=folder,
        environment={"TEXT": "two words"},
    )
    for name, scheme in (("push", "ws"), ("feed", "wss")):
        _, clients = reproduction(
            context,
            context.experiment.points()[name],
            context.endpoints(client=program),
        )
        printed = printed_by(clients, deadline_s)
        assert printed.startswith(f"{folder} {scheme}://127.0.0.1:8008/")
        assert printed.endswith("two words\n")


def test_several_commands_run_at_once_and_end_together(deadline_s):
    # A single write, because lines of two programs would mix otherwise.
    code = "import os; os.write(1, b'%d\\n' % os.getpid()); input()"
    waits = f"sleep infinity | {shlex.join([sys.executable, '-c', code])}"
    text = together([Line(text=waits), Line(text=waits)])
    with shell(text) as commands:
        started = [int(commands.read_line(deadline_s)) for _ in range(2)]
        os.killpg(commands.pid, signal.SIGINT)
        commands.wait(deadline_s)
        assert commands.read_line(deadline_s) is None
    assert len(set(started)) == 2


def test_a_plan_is_read_by_its_own_command(deadline_s):
    lines = [Line(text="cat <<'PLAN'", documents=({"x": "$y"},)) for _ in range(2)]
    assert printed_by(together(lines), deadline_s) == '{"x": "$y"}\n' * 2
    assert printed_by(together(lines[:1]), deadline_s) == '{"x": "$y"}\n'


@pytest.mark.parametrize("name", find_catalog().experiments())
def test_every_cell_of_our_experiments_has_its_commands(name):
    made = list(blocks(name))
    assert "autostrada build " in made[0]
    experiment = find_catalog().experiment(name).experiment
    has_certificate = any("autostrada certificate " in each for each in made[:2])
    assert has_certificate == experiment.has_tls
    of_a_run = ", at a load that only the rate of "
    cells = [each for each in made if "\n# clients, " in each or of_a_run in each]
    fitting, _ = fitting_workloads(experiment, this_host())
    assert len(cells) == len(set(cells)) == len(fitting.cells())
