"""Options of a file, before those of the command line."""

import pytest

from autostrada.cli.load_options import WantedHosts, expanded, outputs, wanted_hosts
from autostrada.errors import UsageError


def test_options_of_a_file_stand_before_the_others(tmp_path):
    file = tmp_path / "load.toml"
    file.write_text(
        'connections = "1k"\nwarm_up = "0s"\nreceive = true\nbinary = false\n'
        'threads = 2\nheader = ["A: b", "C: d"]\n'
    )
    options = [
        "--connections=1k",
        "--warm-up=0s",
        "--receive",
        "--threads=2",
        "--header=A: b",
        "--header=C: d",
    ]
    for arguments in (["--config", str(file)], [f"--config={file}"]):
        found = expanded(["ws://a", *arguments, "-c", "5"])
        assert found == [*options, "ws://a", "-c", "5"]
    assert expanded(["ws://a"]) == ["ws://a"]


@pytest.mark.parametrize(
    ("text", "remedy"), [("a =", "Invalid value"), ("[a]\nb = 1\n", "a is neither")]
)
def test_a_wrong_file_is_refused(tmp_path, text, remedy):
    file = tmp_path / "load.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=remedy):
        expanded(["--config", str(file)])


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"nothing\.toml"):
        expanded(["--config", str(tmp_path / "nothing.toml")])


def test_outputs_are_not_for_the_engine(tmp_path):
    page = tmp_path / "load.html"
    found, others = outputs(
        ["ws://a", "--html", str(page), "--name=b", "-c", "5", "--otlp", "http://c"]
    )
    assert others == ["ws://a", "-c", "5"]
    assert (found.page, found.parquet) == (page, None)
    assert (found.otlp_url, found.name, found.is_saved) == ("http://c", "b", True)


@pytest.mark.parametrize(
    "option", ["--no-save", "--help", "-h", "--plan=plan.json", "--print-plan"]
)
def test_a_load_without_a_result_is_not_saved(option):
    found, others = outputs(["ws://a", option])
    assert found.is_empty
    assert (option in others) == (option != "--no-save")


@pytest.mark.parametrize("option", ["--html", "--parquet", "--otlp", "--name"])
def test_an_option_needs_its_value(option):
    with pytest.raises(UsageError, match=f"{option} needs .*: add it"):
        outputs(["ws://a", option])


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--hosts", "auto"], WantedHosts("auto", None)),
        (["--hosts=ray://a:1", "--host-count", "8"], WantedHosts("ray://a:1", 8)),
        ([], None),
        (["--hosts", "auto", "--help"], None),
    ],
)
def test_hosts_are_not_for_the_engine(options, wanted):
    found, others = wanted_hosts(["ws://a", *options, "-c", "5"])
    assert found == wanted
    assert [word for word in others if word != "--help"] == ["ws://a", "-c", "5"]


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        (["--host-count", "8"], "needs --hosts"),
        (["--hosts", "auto", "--host-count", "many"], "a number of hosts such as 8"),
        (["--hosts", "auto", "--host-count=0"], "a number of hosts such as 8"),
        (["--hosts", "auto", "--watch=5"], "--watch does not go with --hosts"),
        (["--hosts"], "needs the address of a cluster"),
        (["--hosts", "auto", "--json=/nothing/load.json"], "cannot be written"),
    ],
)
def test_wrong_options_of_hosts_are_refused(options, remedy):
    with pytest.raises(UsageError, match=remedy):
        wanted_hosts(["ws://a", *options])
