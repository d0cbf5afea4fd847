"""Requirements: what is installed, and the remedy for what is missing."""

import pytest

from autostrada.contestants.contestant import Requirement
from autostrada.contestants.requirement import check, clear_cache, remedies
from autostrada.errors import NotInstalled


@pytest.fixture(autouse=True)
def _forgetful():
    clear_cache()


def required(*command, matches=r"GNAT 1\d"):
    remedy = f"apt install {command[-1].lower()}"
    return Requirement(command=command, matches=matches, install=remedy)


THERE = required("echo", "GNAT 12.2")
OLD = required("echo", "GNAT 9.4")
ABSENT = required("gnat-of-nobody")


def test_installed_requirements_are_listed_in_one_line_each(tmp_path):
    both = {"gnat": THERE, "make": required("printf", "make 4\nmore", matches="make")}
    assert check(both, tmp_path) == "GNAT 12.2\nmake 4"
    assert check({}, tmp_path) == ""


def test_a_missing_requirement_names_its_remedy(tmp_path):
    with pytest.raises(NotInstalled) as caught:
        check({"gnat": THERE, "gnat2": ABSENT}, tmp_path)
    remedy = "apt install gnat-of-nobody"
    assert str(caught.value) == f"needs gnat2 (found nothing): {remedy}"


def test_each_missing_requirement_has_its_remedy(tmp_path):
    wanted = {"there": THERE, "old": OLD, "absent": ABSENT}
    assert remedies(wanted, tmp_path) == (OLD.install, ABSENT.install)


def test_a_requirement_without_output_is_missing_whatever_its_pattern(tmp_path):
    with pytest.raises(NotInstalled, match="found nothing"):
        check({"gnat": required("true", matches="")}, tmp_path)


def test_colours_are_removed_from_the_output(tmp_path):
    coloured = required("printf", "\\033[1mGNAT 12\\033[m")
    assert check({"gnat": coloured}, tmp_path) == "GNAT 12"


def test_a_command_is_run_once_until_something_is_installed(tmp_path):
    script = f"echo asked >>{tmp_path}/log; echo GNAT 12"
    wanted = {"gnat": required("sh", "-c", script)}
    for _ in range(3):
        check(wanted, tmp_path)
    assert (tmp_path / "log").read_text() == "asked\n"
    clear_cache()
    check(wanted, tmp_path)
    assert (tmp_path / "log").read_text() == "asked\nasked\n"


def test_a_command_that_depends_on_the_folder_is_run_in_each(tmp_path):
    wanted = {"gnat": required("cat", "version")}
    for release in ("12", "13"):
        (tmp_path / release).mkdir()
        (tmp_path / release / "version").write_text(f"GNAT {release}")
        assert check(wanted, tmp_path / release) == f"GNAT {release}"
