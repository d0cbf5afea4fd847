"""A kit's description: read from its folder, and refused in one line if wrong."""

import pytest

from autostrada.contestants.kit import all_packages, read_kits
from autostrada.errors import UsageError

KIT = """
sources = [".adb", ".ads"]
test = [["gnatmake", "-o", "{tmp}/tests"], ["{tmp}/tests"]]

[requires.gnat]
command = ["gnatmake", "--version"]
matches = 'GNATMAKE 1'
install = "apt install gnat"
"""

PACKAGES = (
    KIT
    + """
[[packages]]
file    = "*.gpr"
locked  = ["alire.lock"]
folders = 'with "(.*)"'
"""
)


@pytest.fixture
def write(tmp_path):
    """Return a function that writes the kit of Ada; it returns the folder of kits."""

    def write_kit(text):
        (tmp_path / "ada").mkdir()
        (tmp_path / "ada" / "kit.toml").write_text(text)
        return tmp_path

    return write_kit


def test_a_kit_names_the_files_of_dependencies(write):
    (packages,) = all_packages(write(PACKAGES))
    assert packages.names("fast.gpr")
    assert packages.names("alire.lock")
    assert not packages.names("fast.adb")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("test = [", "kits/ada/kit.toml: "),
        (KIT.replace("test =", "tests ="), "unknown key 'tests'"),
        (KIT.replace(".adb", "adb"), "sources.0: string should match pattern"),
        (KIT.replace('["{tmp}/tests"]', "[]"), "test.1: tuple should have at least 1"),
        (PACKAGES.replace("(", ""), "packages.0.folders: is not a regular expression"),
        ("colour = 1\n" + KIT, "unknown key 'colour'"),
        (KIT + "colour = 1", "unknown key 'requires.gnat.colour'"),
        (KIT + "[build]\ncolour = 1", "build.commands: field required"),
    ],
)
def test_an_error_is_reported_in_one_line(write, text, reason):
    with pytest.raises(UsageError) as caught:
        read_kits(write(text))
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
