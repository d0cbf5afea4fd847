"""Builds: missing requirements, failures, and when a build is repeated."""

import json
import shutil
import threading

import pytest

from autostrada.contestants.build import Builder
from autostrada.contestants.contestant import parse_manifest
from autostrada.errors import BuildFailed, NotInstalled, UsageError

MANIFEST = """
library  = "fast"
homepage = ""
{kit}
client.command  = ["./client"]
client.delivers = "bytes"
client.validates_utf8 = true
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


class BuildSite:
    """A contestant, its kit and a place for builds, in one folder."""

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
    def builder(self):
        return Builder(kits=self.folder / "kits", builds=self.folder / "builds")

    def read(self):
        text = MANIFEST.format_map(self.settings)
        (plain,) = parse_manifest(text, folder=self.contestant)
        return plain

    def build(self, **settings):
        self.settings |= settings
        return self.builder.build(self.read(), announce=self.announced.append)

    @property
    def times_built(self):
        return self.log.read_text().count("built")


@pytest.fixture
def build_site(tmp_path):
    return BuildSite(tmp_path / "site")


def test_a_build_is_a_copy_with_a_version_and_a_toolchain(build_site):
    built = build_site.build()
    assert (built.version, built.toolchain) == ("1.2.3", "GNAT 12.2")
    assert built.digest == build_site.builder.digest(build_site.read())
    assert (built.folder / "client").read_text() == "begin"
    assert built.folder.name == "ada-fast"
    assert not (build_site.contestant / "client").exists()
    assert build_site.announced == ["building ada-fast"]
    # The kit has the same relative path as in the repository.
    assert (built.folder / "../../kits/ada/kit.adb").read_text() == "kit"


def test_the_kit_may_be_that_of_another_language(build_site):
    (build_site.folder / "kits" / "c").mkdir()
    (build_site.folder / "kits" / "c" / "kit.h").write_text("kit of C")
    built = build_site.build(kit='kit = "c"')
    assert (built.folder / "../../kits/c/kit.h").read_text() == "kit of C"
    assert not (built.folder / "../../kits/ada").exists()


def test_a_language_without_a_kit_is_built_without_one(build_site):
    shutil.rmtree(build_site.folder / "kits")
    assert build_site.build().version == "1.2.3"


def test_commands_receive_the_clients_environment(build_site):
    assert build_site.build(version=shell("echo $COLOUR")).version == "red"


def test_a_build_is_reused(build_site):
    first = build_site.build()
    assert build_site.build() == first
    assert build_site.times_built == 1
    assert build_site.announced == ["building ada-fast"]


def test_a_changed_kit_or_toolchain_is_another_build(build_site):
    digests = [build_site.build().digest]
    kit = build_site.folder / "kits" / "ada"
    for name, text in (("kit.toml", 'sources = [".adb"]'), ("kit.adb", "Kit")):
        (kit / name).write_text(text)
        digests.append(build_site.build().digest)
        assert build_site.times_built == len(set(digests)) == len(digests)
    changed = build_site.build(requirement=shell("echo GNAT 13.1"))
    assert (changed.toolchain, build_site.times_built) == ("GNAT 13.1", 4)


def test_changed_content_replaces_the_earlier_build(build_site):
    first = build_site.build()
    (build_site.contestant / "client.adb").write_text("Begin")
    second = build_site.build()
    assert build_site.times_built == 2
    assert second.digest != first.digest
    assert (second.folder / "client").read_text() == "Begin"
    assert not first.folder.exists()


BUILDS = """
[builds.old]
commands = [{old}]

[[variant]]
name  = "{name}"
env   = {{}}
build = "old"

[[variant]]
name  = "{name}-too"
env   = {{}}
build = "old"
"""


def test_variants_with_another_build_share_it_and_leave_the_plain_one(build_site):
    build_site.settings["version"] = shell("cat version")
    build_site.settings["build"] = shell("echo 2 >version")
    text = MANIFEST.format_map(build_site.settings)
    old = shell(f"echo built >>{build_site.log}; echo 1 >version")
    text += BUILDS.format(old=old, name="old")
    plain, one, two = parse_manifest(text, folder=build_site.contestant)
    builds = [
        build_site.builder.build(each, announce=build_site.announced.append)
        for each in (plain, one, two, plain)
    ]
    assert [each.version for each in builds] == ["2", "1", "1", "2"]
    assert builds[1] == builds[2]
    assert build_site.times_built == 1
    assert build_site.announced == ["building ada-fast", "building ada-fast@old"]
    assert {each.folder.name for each in builds} == {"ada-fast"}


def test_a_build_that_was_moved_is_repeated(build_site):
    build_site.build()
    (build_site.folder / "builds").rename(build_site.folder / "elsewhere")
    shutil.copytree(build_site.folder / "elsewhere", build_site.folder / "builds")
    build_site.build()
    assert build_site.times_built == 1
    moved = Builder(
        kits=build_site.folder / "kits", builds=build_site.folder / "elsewhere"
    )
    built = moved.build(build_site.read(), announce=build_site.announced.append)
    assert build_site.times_built == 2
    assert built.folder.is_relative_to(build_site.folder / "elsewhere")


@pytest.mark.parametrize(
    "receipt", ["", "{", "[]", "{}", '{"folder": "/", "colour":1}']
)
def test_a_build_with_an_incomplete_receipt_is_repeated(build_site, receipt):
    built = build_site.build()
    path = built.folder.parents[1] / "receipt.json"
    assert json.loads(path.read_text())["version"] == "1.2.3"
    path.write_text(receipt)
    assert build_site.build() == built
    assert build_site.times_built == 2


def test_a_failed_build_is_tried_again(build_site):
    with pytest.raises(BuildFailed):
        build_site.build(
            build=shell(
                f"echo built >>{build_site.log}; test -e {build_site.folder}/mended"
            )
        )
    (build_site.folder / "mended").touch()
    assert build_site.build().version == "1.2.3"
    assert build_site.times_built == 2


def test_two_concurrent_runs_build_it_once(build_site):
    build_site.settings["build"] = shell(f"echo built >>{build_site.log}; sleep 0.1")
    threads = [threading.Thread(target=build_site.build) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert build_site.times_built == 1


def test_a_failed_build_command_is_named_with_its_last_lines(build_site):
    with pytest.raises(BuildFailed) as caught:
        build_site.build(build=shell("seq 1000; echo no such unit >&2; exit 4"))
    log = build_site.folder / "builds" / "ada-fast" / "build.log"
    assert str(caught.value).endswith(f"failed with status 4; its output: {log}")
    lines = log.read_text().splitlines()
    assert lines[1:] == [*map(str, range(1, 1001)), "no such unit"]
    assert lines[0].startswith("$ sh -c seq 1000")
    tail = caught.value.stderr_tail.splitlines()
    assert tail[-1] == "no such unit"
    assert len(tail) == 12


def test_a_missing_build_command_is_named(build_site):
    with pytest.raises(BuildFailed, match=r"cannot run '\./gnatmake-of-nobody -v'"):
        build_site.build(build='["./gnatmake-of-nobody", "-v"]')


def test_a_version_command_without_output_is_an_error(build_site):
    with pytest.raises(BuildFailed, match=r"printed nothing: version\.command"):
        build_site.build(version=shell("true"))


def test_an_outdated_requirement_names_the_found_version_and_the_remedy(build_site):
    with pytest.raises(NotInstalled) as caught:
        build_site.build(requirement=shell("echo GNAT 9.4; echo more"))
    assert str(caught.value) == "needs gnat (found GNAT 9.4): apt install gnat"
    assert not (build_site.folder / "builds").exists()


def test_a_folder_without_write_permission_is_a_usage_error(build_site):
    (build_site.folder / "builds").write_text("a file in the folder's place")
    with pytest.raises(UsageError, match=r"cannot build in .*free disk space"):
        build_site.build()
