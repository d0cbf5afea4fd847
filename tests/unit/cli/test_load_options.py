"""Options of a file, before those of the command line."""

import pytest

from autostrada.errors import UsageError
from autostrada.runner.load_options import expanded, taken


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
    with pytest.raises(UsageError, match="needs a file"):
        taken("--html", ["ws://a", "--html"])
