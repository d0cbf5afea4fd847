"""Builds: what is missing, what fails, and when one is made again."""

import json
import shutil
import threading

import pytest

from autostrada.contestants.build import Workshop
from autostrada.contestants.contestant import parse_manifest
from autostrada.errors import BuildFailed, NotInstalled, UsageError

MANIFEST = """
library  = "fast"
language = "ada"
homepage = ""
protocol = "websocket"
{kit}
client.command  = ["./client"]
client.env      = {{ COLOUR = "red" }}
version.command = {version}
build.commands  = [{build}]

[requires.gnat]
command = {requirement}
matches = '{matches}'
install = "apt install gnat"
"""


def shell(script):
    return json.dumps(["sh", "-c", script])


class Site:
    """A contestant, its kit and a place for builds, in a folder of their own."""

    def __init__(self, folder):
        self.folder = folder
        self.contestant = folder / "contestants" / "ada-fast"
        self.contestant.mkdir(parents=True)
        (self.contestant / "client.adb").write_text("begin")
        (folder / "kits" / "ada").mkdir(parents=True)
        (folder / "kits" / "ada" / "kit.adb").write_text("kit")
        self.log = folder / "log"
        self.announced = []
        self.settings = {
            "requirement": shell("echo GNAT 12.2"),
            "matches": r"GNAT 1\d",
            "build": shell(f"echo built >>{self.log}; cp client.adb client"),
            "version": shell("echo 1.2.3"),
            "kit": "",
        }

    @property
    def workshop(self):
        return Workshop(kits=self.folder / "kits", builds=self.folder / "builds")

    def read(self):
        text = MANIFEST.format_map(self.settings)
        (plain,) = parse_manifest(text, folder=self.contestant)
        return plain

    def build(self, **settings):
        self.settings |= settings
        return self.workshop.build(self.read(), announce=self.announced.append)

    @property
    def times_built(self):
        return self.log.read_text().count("built")


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path / "site")


def test_a_build_is_a_copy_with_a_version_and_a_toolchain(site):
    built = site.build()
    assert (built.version, built.toolchain) == ("1.2.3", "GNAT 12.2")
    assert built.digest == site.workshop.digest(site.read())
    assert (built.folder / "client").read_text() == "begin"
    assert built.folder.name == "ada-fast"
    assert not (site.contestant / "client").exists()
    assert site.announced == ["building ada-fast"]


def test_the_kit_lies_where_the_repository_has_it(site):
    built = site.build()
    assert (built.folder / "../../kits/ada/kit.adb").read_text() == "kit"


def test_the_kit_may_be_that_of_another_language(site):
    (site.folder / "kits" / "c").mkdir()
    (site.folder / "kits" / "c" / "kit.h").write_text("kit of C")
    built = site.build(kit='kit = "c"')
    assert (built.folder / "../../kits/c/kit.h").read_text() == "kit of C"
    assert not (built.folder / "../../kits/ada").exists()


def test_a_language_without_a_kit_is_built_without_one(site):
    shutil.rmtree(site.folder / "kits")
    assert site.build().version == "1.2.3"


def test_commands_see_the_clients_environment(site):
    assert site.build(version=shell("echo $COLOUR")).version == "red"


def test_the_second_time_it_is_there(site):
    first = site.build()
    assert site.build() == first
    assert site.times_built == 1
    assert site.announced == ["building ada-fast"]


def test_other_content_is_built_and_takes_the_place_of_the_earlier(site):
    first = site.build()
    (site.contestant / "client.adb").write_text("Begin")
    second = site.build()
    assert site.times_built == 2
    assert second.digest != first.digest
    assert (second.folder / "client").read_text() == "Begin"
    assert not first.folder.exists()


def test_another_kit_is_another_build(site):
    site.build()
    (site.folder / "kits" / "ada" / "kit.adb").write_text("Kit")
    site.build()
    assert site.times_built == 2


def test_another_toolchain_is_another_build(site):
    site.build()
    assert site.build(requirement=shell("echo GNAT 13.1")).toolchain == "GNAT 13.1"
    assert site.times_built == 2


def test_a_build_that_was_moved_is_made_again(site):
    site.build()
    (site.folder / "builds").rename(site.folder / "elsewhere")
    shutil.copytree(site.folder / "elsewhere", site.folder / "builds")
    site.build()
    assert site.times_built == 1
    moved = Workshop(kits=site.folder / "kits", builds=site.folder / "elsewhere")
    built = moved.build(site.read(), announce=site.announced.append)
    assert site.times_built == 2
    assert built.folder.is_relative_to(site.folder / "elsewhere")


@pytest.mark.parametrize(
    "receipt", ["", "{", "[]", "{}", '{"folder": "/", "colour":1}']
)
def test_a_build_without_a_whole_receipt_is_made_again(site, receipt):
    built = site.build()
    path = built.folder.parents[1] / "receipt.json"
    assert json.loads(path.read_text())["version"] == "1.2.3"
    path.write_text(receipt)
    assert site.build() == built
    assert site.times_built == 2


def test_a_build_that_failed_is_tried_again(site):
    with pytest.raises(BuildFailed):
        site.build(
            build=shell(f"echo built >>{site.log}; test -e {site.folder}/mended")
        )
    (site.folder / "mended").touch()
    assert site.build().version == "1.2.3"
    assert site.times_built == 2


def test_two_runs_build_it_once(site):
    site.settings["build"] = shell(f"echo built >>{site.log}; sleep 0.1")
    threads = [threading.Thread(target=site.build) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert site.times_built == 1


def test_a_build_command_that_fails_is_named_with_its_last_lines(site):
    with pytest.raises(BuildFailed) as caught:
        site.build(build=shell("seq 1000; echo no such unit >&2; exit 4"))
    log = site.folder / "builds" / "ada-fast" / "build.log"
    assert str(caught.value).endswith(f"failed with status 4; all that it said: {log}")
    said = log.read_text().splitlines()
    assert said[1:] == [*map(str, range(1, 1001)), "no such unit"]
    assert said[0].startswith("$ sh -c seq 1000")
    tail = caught.value.stderr_tail.splitlines()
    assert tail[-1] == "no such unit"
    assert len(tail) == 12


def test_a_build_command_that_is_not_there_is_named(site):
    with pytest.raises(BuildFailed, match=r"cannot run '\./gnatmake-of-nobody -v'"):
        site.build(build='["./gnatmake-of-nobody", "-v"]')


def test_a_version_command_that_prints_nothing_is_no_receipt(site):
    with pytest.raises(BuildFailed, match=r"printed nothing: version\.command"):
        site.build(version=shell("true"))


def test_a_requirement_that_is_too_old_names_what_was_found_and_its_remedy(site):
    with pytest.raises(NotInstalled) as caught:
        site.build(requirement=shell("echo GNAT 9.4; echo more"))
    assert str(caught.value) == "needs gnat (found GNAT 9.4): apt install gnat"
    assert not (site.folder / "builds").exists()


def test_a_folder_that_cannot_be_written_is_the_users_to_mend(site):
    (site.folder / "builds").write_text("a file in the folder's place")
    with pytest.raises(UsageError, match=r"cannot build in .*make room there"):
        site.build()
