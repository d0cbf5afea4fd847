"""Options of the command line and of a file: Python's own, and those of the engine."""

from pathlib import Path

import pytest
from typer.main import get_command

from autostrada.cli import app
from autostrada.cli.load_options import check_hosts, engine_arguments, extract_option
from autostrada.errors import UsageError


def parsed(*words, name="load"):
    """Return the values of Python's own options, and the arguments for the engine."""
    command = get_command(app).commands[name]
    with command.make_context(name, list(words)) as context:
        return context.params, engine_arguments(context)


def config(tmp_path, text):
    file = tmp_path / "load.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return f"--config={file}"


def test_options_of_a_file_stand_before_the_others(tmp_path):
    option = config(
        tmp_path,
        'connections = "1k"\nwarm_up = "0s"\nreceive = true\nbinary = false\n'
        'threads = 2\nheader = ["A: b", "C: d"]\n',
    )
    options = [
        "--connections=1k",
        "--warm-up=0s",
        "--receive",
        "--threads=2",
        "--header=A: b",
        "--header=C: d",
    ]
    for words in ([option], option.split("=")):
        _, found = parsed("ws://a", *words, "-c", "5")
        assert found == [*options, "ws://a", "-c", "5"]
    assert parsed("ws://a")[1] == ["ws://a"]


def test_a_file_sets_options_of_python_and_the_command_line_overrides_them(tmp_path):
    option = config(tmp_path, 'name = "a"\nno_save = true\nhost_count = 8\nrate = 5\n')
    found, engines = parsed(option, "ws://a", "--name", "b")
    assert (found["name"], found["no_save"], found["host_count"]) == ("b", True, 8)
    assert engines == ["--rate=5", "ws://a"]


def test_a_file_sets_options_of_find(tmp_path):
    option = config(tmp_path, 'objective = "p99<5ms"\nsteps = 3\nconnections = 9\n')
    found, engines = parsed(option, "ws://a", name="find")
    assert (found["objective"], found["steps"]) == ("p99<5ms", 3)
    assert engines == ["--connections=9", "ws://a"]


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("a =", "Invalid value"),
        pytest.param(f"a = {'[' * 9999}", "recursion", id="deep"),
        pytest.param(f"a = {'9' * 9999}", "4300 digits", id="long"),
        ("[a]\nb = 1\n", "a is neither"),
        ("name = { b = 1 }", "name is neither"),
        ("at = 2026-01-01", "at is neither"),
        (b"name = '\xff'", "can't decode"),
        ('message = "a\\u0000b"', "'message' has a null character"),
        ('name = "a\\u0000b"', "'name' has a null character"),
        ('"a\\u0000b" = 1', "has a null character"),
        ("name = true", "name needs a value"),
        ('hosts = ""', "hosts needs a value"),
        ("no_save = 1", "no_save is true or false"),
        ('host_count = "many"', "'--host-count'"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(tmp_path, text, remedy):
    with pytest.raises(UsageError, match=remedy) as refused:
        parsed(config(tmp_path, text), "ws://a")
    assert "\n" not in str(refused.value)
    assert "\0" not in str(refused.value)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"nothing\.toml"):
        parsed("--config", str(tmp_path / "nothing.toml"))


def test_a_file_that_names_another_is_refused_by_the_engine(tmp_path):
    _, found = parsed(config(tmp_path, 'config = "other.toml"'), "ws://a")
    assert found == ["--config=other.toml", "ws://a"]


def test_outputs_are_not_for_the_engine(tmp_path):
    page = tmp_path / "load.html"
    found, others = parsed(
        *("ws://a", "--html", str(page), "--name=b", "--no-save", "-c", "5"),
        *("--otlp", "http://c", "-H", "A: --name", "-kc7", "-c=8", "--json", "-"),
    )
    assert others == [
        *("ws://a", "-c", "5", "-H", "A: --name", "-kc7", "-c=8", "--json", "-")
    ]
    assert (found["page"], found["parquet"]) == (page, None)
    assert (found["otlp_url"], found["name"]) == ("http://c", "b")
    assert found["no_save"]


def test_repeated_options_override_and_shortened_ones_are_not_known():
    found, others = parsed("--name", "a", "--name=b", "--nam=c", "--", "ws://a")
    assert (found["name"], others) == ("b", ["--nam=c", "ws://a"])
    assert parsed("--name=--no-save", "ws://a")[0]["name"] == "--no-save"


@pytest.mark.parametrize("option", ["--html", "--parquet", "--otlp", "--name"])
@pytest.mark.parametrize("following", [[], [""], ["--no-save"], ["--plain"], ["-k"]])
def test_an_option_needs_its_value(option, following):
    with pytest.raises(UsageError, match=f"{option} needs a value: write {option}="):
        parsed("ws://a", option, *following)
    with pytest.raises(UsageError, match="needs a value"):
        parsed("ws://a", f"{option}=")


@pytest.mark.parametrize("option", ["--html", "--parquet"])
def test_a_file_that_cannot_be_written_is_refused(option, tmp_path):
    for path in (tmp_path, tmp_path / "missing" / "file"):
        with pytest.raises(UsageError, match=f"{option}: .*choose another file"):
            parsed("ws://a", option, str(path))


def test_an_option_of_the_engine_is_taken_out():
    words = ["ws://a", "--watch-command", "node a.js", "-c", "5"]
    assert extract_option("--watch-command", words) == (
        "node a.js",
        ["ws://a", "-c", "5"],
    )
    assert extract_option("--json", ["--json=a", "--json=b"]) == ("b", [])
    assert extract_option("--json", words) == (None, words)


@pytest.mark.parametrize("count", ["many", "0"])
def test_a_wrong_number_of_hosts_is_refused(count):
    with pytest.raises(UsageError, match="'--host-count': Input should be"):
        parsed("--hosts", "auto", "--host-count", count)


@pytest.mark.parametrize(
    ("hosts", "option", "remedy"),
    [
        (None, "-k", "needs --hosts"),
        ("auto", "--watch=5", "--watch does not go with --hosts"),
        ("auto", "--json=/nothing/load.json", "cannot be written"),
        ("auto", f"--csv={Path(__file__).parent}", "cannot be written"),
    ],
)
def test_wrong_options_of_hosts_are_refused(hosts, option, remedy):
    with pytest.raises(UsageError, match=remedy):
        check_hosts(hosts, 8, ["ws://a", option])
    check_hosts("auto", 8, ["ws://a", "-c", "5", "--json=-"])
