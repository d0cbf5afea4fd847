"""The help of each command: a description, an example, and every default."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from autostrada.cli import COMMANDS, app

PARAMETERS = [
    pytest.param(parameter, id=f"{name} {parameter.name}")
    for name, command in get_command(app).commands.items()
    for parameter in command.params
    if parameter.name != "help"
]


def help_of(*arguments):
    result = CliRunner().invoke(app, [*arguments, "--help"], env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("name", [each for each in COMMANDS if each != "load"])
def test_a_command_shows_a_description_and_an_example(name):
    text = help_of(name)
    assert f"Example: autostrada {name}" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_the_help_of_load_has_the_options_of_the_engine_and_those_of_python(option):
    command = [Path(sys.executable).with_name("autostrada"), "load", option]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Usage: autostrada load [OPTIONS] [URL]" in ended.stdout
    for text in ("--connections <N>", "      --html <FILE>  ", "      --no-save  "):
        assert ended.stdout.count(text) == 1
    assert max(map(len, ended.stdout.splitlines())) <= 100


def test_the_list_of_commands_describes_each_in_one_line():
    lines = help_of().partition("Commands:\n")[2].splitlines()
    assert len(lines) == len(COMMANDS)
    assert not [line for line in lines if not line.endswith(".") or "..." in line]


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_an_option_has_a_description_and_shows_its_default(parameter):
    assert parameter.help
    is_flag = getattr(parameter, "is_flag", False)
    if not parameter.required and not is_flag:
        assert parameter.show_default, "state what is used where it is not given"


def test_the_version_is_printed():
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.output.startswith("autostrada ")
