"""A new contestant's folder: made from another one of its language."""

import pytest

from autostrada.contestants import template
from autostrada.contestants.contestant import read_contestants
from autostrada.contestants.template import emptied, find_model, new
from autostrada.errors import UsageError


@pytest.fixture(autouse=True)
def catalog(monkeypatch, fair):
    monkeypatch.setattr(template, "find_catalog", lambda: fair.catalog)


def test_it_is_made_from_another_one_of_its_language(fair, capsys):
    folder = new("ada-novel", None)
    assert folder == fair.catalog.root / "contestants" / "ada-novel"
    made = fair.contestants["ada-novel"]
    assert made.manifest.library == "novel"
    assert (folder / "README.md").read_text().startswith("# ada-novel\n")
    printed = capsys.readouterr().out
    assert "made from ada-fast" in printed
    assert "autostrada verify ada-novel\n" in printed


def test_nothing_of_the_other_library_is_left(fair):
    fair.describe_languages()
    fast = fair.catalog.root / "contestants" / "ada-fast"
    (fast / "go.mod").write_text(
        "module contestant\n\ngo 1.23.0\n\nrequire (\n\tautostrada/kit v0.0.0\n"
        "\texample.org/fast v1.2.3\n)\n\nrequire example.org/deep v2.0.0 // indirect\n"
        "\nreplace autostrada/kit => ../../kits/go\n"
    )
    (fast / "go.sum").write_text("example.org/fast v1.2.3 h1:x\n")
    (fast / "Cargo.toml").write_text(
        '[package]\nname = "c"\n\n[dependencies]\nfast-core = "1"\n'
        'autostrada-kit = { path = "kit" }\nfast = "1"\nquick = { version = "2" }\n'
        "\n[workspace]\n"
    )
    (fast / "package.json").write_text(
        '{\n  "private": true,\n  "dependencies": {\n    "fast": "1.2.3"\n  }\n}\n'
    )
    (fast / "requirements.txt").write_text("fast==1.2.3 --hash=sha256:1\n")
    folder = new("ada-novel", None)
    assert not (folder / "go.sum").exists()
    assert not (folder / "requirements.txt").exists()
    assert (folder / "requirements.in").read_text() == "# library==1.2.3\n"
    for path in folder.iterdir():
        text = path.read_text()
        assert "fast" not in text.replace("ada-fast", ""), text
    assert "deep" not in (folder / "go.mod").read_text()
    assert "autostrada/kit v0.0.0" in (folder / "go.mod").read_text()
    assert (folder / "Cargo.toml").read_text() == (
        '[package]\nname = "c"\n\n[dependencies]\nautostrada-kit = { path = "kit" }\n'
        "\n[workspace]\n"
    )
    made = fair.contestants["ada-novel"].manifest
    assert (made.variant, made.version.command) == ((), ("false",))
    assert made.client.workloads == ("receive",)


def test_it_may_lie_in_a_folder_of_ones_own(tmp_path, capsys):
    new("ada-novel", tmp_path / "mine")
    assert "ada-novel" in read_contestants(tmp_path / "mine")
    assert f"--contestants {tmp_path / 'mine'}" in capsys.readouterr().out


def test_the_model_is_the_shortest(fair):
    fair.add("short", build="")
    fair.add("whole", workloads=("receive", "feed", "echo"))
    contestants = fair.contestants
    assert find_model("ada", contestants.values()).name == "ada-short"
    assert find_model("c", contestants.values()) is None


def test_a_language_without_an_example_is_named_with_those_that_have_one():
    with pytest.raises(UsageError, match=r"in 'cobol' to begin with.*there is ada"):
        new("cobol-ws", None)


@pytest.mark.parametrize("name", ["ada", "Ada-fast", "ada-", "ada-../fast", "-fast"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(UsageError, match="no contestant's name"):
        new(name, None)


def test_a_folder_that_is_there_is_left_as_it_is(fair):
    manifest = fair.catalog.root / "contestants" / "ada-fast" / "contestant.toml"
    before = manifest.read_text()
    with pytest.raises(UsageError, match="already there: take another name"):
        new("ada-fast", None)
    assert manifest.read_text() == before


MANIFEST = """# Fast: tasks.
# With deflate.

library  = "fast"
language = "ada"
homepage = "https://fast"

[server]
command = ["./server"]
workers = true
deflate = true

[client]
command   = ["./client"]
workloads = ["receive", "feed", "echo"]

[requires.gnat]
command = ["gnat"]

[requires.boost]
command = ["boost"]

[version]
command = [
  "./version", "fast",
]

[[variant]]
name = "deflate"
"""
EMPTIED = """# The library, in one sentence.

library  = "novel-two"
language = "ada"
homepage = "https://…"

[server]
command = ["./server"]

[client]
command   = ["./client"]
workloads = ["receive"]

[requires.gnat]
command = ["gnat"]

[version]                          # prints the version of the library
command = ["false"]
"""


def test_a_manifest_claims_a_client_that_receives_and_nothing_else():
    assert emptied(MANIFEST, "ada-novel-two", {"gnat"}) == EMPTIED
