"""A contestant's manifest, and the digest of its sources."""

import os
from pathlib import Path

import pytest

from autostrada.contestants.contestant import (
    ROLES,
    content_digest,
    parse_manifest,
    read_contestants,
    source_files,
)
from autostrada.contestants.kit import read_kits
from autostrada.errors import UsageError

FOLDER = Path("contestants/ada-fast")


def environment(contestant, role, **published):
    return contestant.environment(contestant.program(role, **published))


def test_reads_the_plain_contestant_and_each_variant(manifest):
    plain, tasks, fork = parse_manifest(manifest, folder=FOLDER)
    names = (plain.name, tasks.name, fork.name)
    assert names == ("ada-fast", "ada-fast+tasks", "ada-fast+fork")
    assert plain.folder == tasks.folder == FOLDER
    commands = [plain.program(role).command for role in ROLES]
    assert commands == [("./client", "--quick"), ("./server",)]


def test_a_variant_changes_only_its_own_settings_and_may_have_one_program(manifest):
    plain, tasks, fork = parse_manifest(manifest, folder=FOLDER)
    assert environment(plain, "client") == {"SPEED": "high", "COLOUR": "red"}
    assert environment(tasks, "client") == {"SPEED": "tasks", "COLOUR": "red"}
    assert environment(tasks, "server") == {"SPEED": "tasks"}
    assert environment(fork, "server") == {"SPEED": "low", "FORK": "yes"}
    assert [each.has("client") for each in (plain, tasks, fork)] == [True, True, False]
    assert [each.has("server") for each in (plain, tasks, fork)] == [True, True, True]


def test_each_program_claims_compression_for_itself(manifest):
    plain, *_ = parse_manifest(manifest, folder=FOLDER)
    assert not any(plain.program(role).deflate for role in ROLES)
    claimed = manifest.replace("tls     = true", "tls = true\ndeflate = true", 1)
    plain, *_ = parse_manifest(claimed, folder=FOLDER)
    assert [plain.program(role).deflate for role in ROLES] == [False, True]


KIT = """
sources = [".adb"]

[requires.gnat]
command = ["echo", "GNAT"]
matches = "GNAT"
install = "the default"

[requires.make]
command = ["make", "--version"]
matches = "Make"
install = "apt install make"

[optional.spark]
command = ["echo", "SPARK"]
matches = "SPARK"
install = "apt install spark"

[build]
commands = [["make"], ["make", "check"]]

[version]
command = ["./version", "{library}"]

[server]
command = ["./server"]

[client]
command  = ["./client"]
env      = { SPEED = "low" }
delivers = "bytes"

[published.server]
command = ["./feed"]
"""


@pytest.fixture
def kits(tmp_path):
    (tmp_path / "kits" / "ada").mkdir(parents=True)
    (tmp_path / "kits" / "ada" / "kit.toml").write_text(KIT)
    return read_kits(tmp_path / "kits")


BARE = """
library  = "fast"
homepage = ""
server.command  = ["./server"]
version.command = ["./version"]
"""


def test_optional_keys_have_defaults_and_one_program_is_enough():
    text = BARE.replace("server.command", "client.command")
    text += 'client.delivers = "bytes"\nclient.validates_utf8 = false\n'
    (plain,) = parse_manifest(text, folder=FOLDER)
    assert environment(plain, "client") == {}
    assert plain.build.commands == ()
    client = plain.manifest.client
    assert all((client.reply, client.refusals, client.eof))
    assert list(plain.manifest.programs()) == ["client"]
    (plain,) = parse_manifest(BARE, folder=FOLDER)
    assert list(plain.manifest.programs()) == ["server"]


def test_what_a_manifest_does_not_state_is_that_of_the_kit(kits):
    (plain,) = parse_manifest(BARE, folder=FOLDER, kits=kits)
    assert plain.manifest.requires == kits["ada"].requires
    assert plain.build.commands == (("make",), ("make", "check"))


def test_what_a_manifest_states_replaces_that_of_the_kit_key_by_key(manifest, kits):
    plain, *_ = parse_manifest(manifest, folder=FOLDER, kits=kits)
    (alone, *_) = parse_manifest(manifest, folder=FOLDER)
    stated, requires = alone.manifest.requires["gnat"], plain.manifest.requires
    assert requires == {"gnat": stated, "make": kits["ada"].requires["make"]}
    assert plain.build == alone.build
    other = BARE + "build.commands = []\nrequires.gnat.matches = 'GNAT 1[3-9]'"
    without, *_ = parse_manifest(other, folder=FOLDER, kits=kits)
    assert without.build.commands == ()
    gnat = kits["ada"].requires["gnat"].model_copy(update={"matches": "GNAT 1[3-9]"})
    assert without.manifest.requires["gnat"] == gnat


PROGRAMS = """
[client]
validates_utf8 = true
env = { COLOUR = "red" }

[published.server]
"""


def test_programs_and_optional_requirements_are_those_that_a_manifest_has(kits):
    text = 'library = "fast"\nhomepage = ""\nrequires.spark = {}\n'
    plain, *_ = parse_manifest(text + PROGRAMS, folder=FOLDER, kits=kits)
    assert list(plain.manifest.programs()) == ["client", "published.server"]
    assert plain.program("client").command == ("./client",)
    assert environment(plain, "client") == {"SPEED": "low", "COLOUR": "red"}
    assert plain.manifest.client.delivers == "bytes"
    assert plain.program("server", published=True).command == ("./feed",)
    assert list(plain.manifest.requires) == ["gnat", "make", "spark"]
    assert plain.manifest.version.command == ("./version", "fast")
    assert (plain.manifest.language, plain.protocol) == ("ada", "websocket")
    (bare,) = parse_manifest(BARE, folder=FOLDER, kits=kits)
    assert list(bare.manifest.requires) == ["gnat", "make"]


def test_a_kit_may_be_of_several_languages(kits):
    folder = Path("contestants/spark-fast")
    text = BARE.replace('"ada"', '"spark"')
    several = {"ada": kits["ada"].model_copy(update={"languages": ("ada", "spark")})}
    (plain,) = parse_manifest(text, folder=folder, kits=several)
    assert (plain.kit, plain.build) == ("ada", kits["ada"].build)
    (alone,) = parse_manifest(text, folder=folder, kits=kits)
    assert (alone.kit, alone.build.commands) == ("spark", ())


def test_a_manifest_that_names_a_kit_inherits_nothing(kits):
    text = 'kit = "ada"\n' + BARE
    (plain,) = parse_manifest(text, folder=FOLDER, kits=kits)
    assert (plain.manifest.requires, plain.build.commands) == ({}, ())


@pytest.mark.parametrize("table", ["client", "published", "requires", "requires.gnat"])
def test_a_wrong_table_is_refused_although_it_inherits(kits, table):
    with pytest.raises(
        UsageError, match=rf"contestant\.toml: {table}: input should be"
    ):
        parse_manifest(f"{table} = 3\n{BARE}", folder=FOLDER, kits=kits)


def test_each_program_states_the_settings_of_its_library(manifest):
    plain, *_ = parse_manifest(manifest, folder=FOLDER)
    assert plain.manifest.client.settings == {}
    stated = manifest.replace("tls     = true", 'settings.nodelay = "on (set)"')
    plain, tasks, _ = parse_manifest(stated, folder=FOLDER)
    assert plain.manifest.server.settings == {"nodelay": "on (set)"}
    assert environment(tasks, "server") == {"SPEED": "tasks"}


def test_a_variant_may_speak_another_protocol(manifest):
    text = manifest.replace('name = "tasks"', 'name = "tasks"\nprotocol = "framed-tcp"')
    plain, tasks, fork = parse_manifest(text, folder=FOLDER)
    protocols = (plain.protocol, tasks.protocol, fork.protocol)
    assert protocols == ("websocket", "framed-tcp", "websocket")


PUBLISHED = """
[published.server]
command = ["./feed"]
bars    = true

[[variant]]
name      = "old"
env       = { AGE = "old" }
published = true
"""


def test_published_programs_are_beside_those_of_the_contract(manifest):
    plain, *_, old = parse_manifest(manifest + PUBLISHED, folder=FOLDER)
    assert plain.program("server").command == ("./server",)
    assert plain.program("server", published=True).command == ("./feed",)
    assert plain.program("server", published=True).bars
    assert not plain.has("client", published=True)
    assert environment(old, "server", published=True) == {"AGE": "old"}
    assert not old.has("server")


BUILDS = """
[builds.2024]
commands = [["sh", "-c", "older"]]

[[variant]]
name  = "older"
env   = {}
build = "2024"
"""


def test_a_variant_may_have_a_build_of_its_own(manifest):
    plain, *_, older = parse_manifest(manifest + BUILDS, folder=FOLDER)
    assert (plain.build_name, older.build_name) == ("ada-fast", "ada-fast@2024")
    assert plain.build == plain.manifest.build
    assert older.build.commands == (("sh", "-c", "older"),)
    assert older.program("client").command == plain.program("client").command


CLIENT, SERVER = '["./client", "--quick"]', '["./server"]'
TLS, ENV, TASKS = "tls     = true", 'SPEED = "high"', 'name = "tasks"'
FAULTS = [
    *(
        (line, f"colour = 1\n{line}")
        for line in (
            "library ",
            f"command = {CLIENT}",
            f"command = {SERVER}",
            'command = ["gnat"',
            "commands =",
            TASKS,
        )
    ),
    ('library  = "fast"', ""),
    ('library  = "fast"', "library ="),
    ('"websocket"', '"telnet"'),
    (CLIENT, '"./client --quick"'),
    (CLIENT, "[]"),
    (CLIENT, '["./client", "\\u0000"]'),
    ('delivers = "bytes"', ""),
    ("validates_utf8 = true", ""),
    (TLS, "tls = 1"),
    (TLS, 'settings.mood = "good"'),
    (TLS, "settings.nodelay = true"),
    (TLS, 'settings.nodelay = ""'),
    ('["server"]', '["proxy"]'),
    ('[["gnatmake", "client.adb"]]', '["gnatmake"]'),
    (ENV, "SPEED = 3"),
    (ENV, '"A=B" = "3"'),
    ("'GNAT 1\\d'", "'GNAT ('"),
    (TASKS, 'name = "Tasks"'),
    ('"fork"', '"tasks"'),
    (TASKS, f'{TASKS}\nbuild = "2025"'),
    ("library ", 'language = "ad"\nlibrary '),
]
"""What a manifest has, and what is wrong in its place."""


def test_a_fault_is_one_line_with_its_place(manifest, snapshot):
    manifest = manifest.replace('language = "ada"\n', "")
    messages = []
    for right, wrong in FAULTS:
        assert right in manifest
        with pytest.raises(UsageError) as caught:
            parse_manifest(manifest.replace(right, wrong, 1), folder=FOLDER)
        messages.append(f"{caught.value}\n")
    snapshot("faults-of-manifests.txt", "".join(messages))


def test_a_program_that_is_not_there_is_refused(manifest, tmp_path):
    without = BARE.replace('server.command  = ["./server"]', "")
    with pytest.raises(UsageError, match=r"give \[client\], \[server\], or both"):
        parse_manifest(without, folder=FOLDER)
    variant = '[[variant]]\nname = "fork"\nenv = {}\nprograms = ["client"]\n'
    with pytest.raises(UsageError, match="'fork' is for a program that does not exist"):
        parse_manifest(BARE + variant, folder=FOLDER)
    folder = tmp_path / FOLDER.name
    folder.mkdir()
    (folder / "client.py").touch()
    text = manifest.replace(SERVER, '["venv/bin/python", "server.py"]')
    with pytest.raises(UsageError) as caught:
        parse_manifest(text, folder=folder)
    assert str(caught.value) == (
        "ada-fast/contestant.toml: server.command: server.py is not in the folder: add "
        "it, or omit [server]"
    )


def test_a_folder_without_a_manifest_is_not_a_contestant(manifest, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "ada-fast").mkdir()
    (tmp_path / "ada-fast" / "contestant.toml").write_text(manifest)
    names = ["ada-fast", "ada-fast+tasks", "ada-fast+fork"]
    assert list(read_contestants(tmp_path)) == names
    (tmp_path / "ada-fast" / "contestant.toml").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="is not UTF-8 text"):
        read_contestants(tmp_path)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "ada-fast"
    (folder / "source").mkdir(parents=True)
    (folder / "client.adb").write_text("begin")
    (folder / "source" / "more.adb").write_text("end")
    return folder


def digest(folder):
    return content_digest({"contestants/ada-fast": folder})


def test_sources_are_all_files_except_build_products(folder):
    for product in ("venv/bin", "source/__pycache__", "node_modules/ws", "target"):
        (folder / product).mkdir(parents=True)
        (folder / product / "product").write_text("made")
    assert list(source_files(folder)) == ["client.adb", "source/more.adb"]


def test_build_products_and_times_do_not_change_the_digest(folder):
    before = digest(folder)
    (folder / "target").mkdir()
    (folder / "target" / "client").write_text("made")
    os.utime(folder / "client.adb", (0, 0))
    assert digest(folder) == before


CHANGES = {
    "content": lambda folder: (folder / "client.adb").write_text("Begin"),
    "name": lambda folder: (folder / "client.adb").rename(folder / "Client.adb"),
    "mode": lambda folder: (folder / "client.adb").chmod(0o755),
    "folder": lambda folder: (folder / "client.adb").rename(
        folder / "source/client.adb"
    ),
    "empty file": lambda folder: (folder / "empty").touch(),
    "text moved to the next file": lambda folder: [
        (folder / "client.adb").write_text("beg"),
        (folder / "source" / "more.adb").write_text("inend"),
    ],
    "name that is no text": lambda folder: (folder / os.fsdecode(b"\xff")).touch(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_of_a_source_changes_the_digest(folder, change):
    before = digest(folder)
    change(folder)
    assert digest(folder) != before


def test_the_digest_includes_the_folders_name_but_not_its_absolute_path(
    folder, tmp_path
):
    before = content_digest({"a": folder})
    moved = folder.rename(tmp_path / "elsewhere")
    assert content_digest({"a": moved}) == before
    assert content_digest({"b": moved}) != before
