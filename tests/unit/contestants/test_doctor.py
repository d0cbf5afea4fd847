"""Missing tools, their remedies, and the Debian packages among these."""

from contextlib import nullcontext

import pytest

from autostrada.contestants import doctor
from autostrada.contestants.doctor import (
    DoctorFinding,
    examine,
    examine_machine,
    install,
    packages_of,
)
from autostrada.errors import UsageError
from autostrada.machine import executable

ENGINE = DoctorFinding(part="engine", is_installed=True, text="1")


@pytest.fixture(autouse=True)
def catalog(monkeypatch, catalog_builder):
    monkeypatch.setattr(
        doctor, "find_catalog", lambda extra_contestants=None: catalog_builder.catalog
    )
    monkeypatch.setattr(doctor, "new_limited_cgroup", lambda limits: nullcontext())
    monkeypatch.setattr(doctor, "new_bridge", nullcontext)
    monkeypatch.setattr(doctor, "find_engine", lambda: "engine")
    monkeypatch.setattr(doctor, "engine_version", lambda engine: "1")
    monkeypatch.setenv("COLUMNS", "200")


def rows(text):
    return [line.split() for line in text.splitlines()]


def test_a_machine_that_has_everything_lacks_nothing(capsys):
    assert all(finding.is_installed for finding in examine(None))
    printed = capsys.readouterr().out
    assert "cpu_model: " in printed
    # A folder is checked once for all its variants.
    assert rows(printed).count(["ok", "ada-fast", "GNAT", "12.2"]) == 1
    assert printed.count("GNAT 12.2") == 1
    assert "missing" not in printed


@pytest.mark.parametrize(
    ("program", "package"), [("setpriv", "util-linux"), ("openssl", "openssl")]
)
def test_a_missing_program_is_named_with_its_remedy(
    program, package, capsys, monkeypatch
):
    find = executable.shutil.which
    monkeypatch.setattr(
        executable.shutil, "which", lambda name: None if name == program else find(name)
    )
    lacking = [each for each in examine(None) if not each.is_installed]
    assert packages_of(lacking[0].remedies) == [package]
    assert f"apt install {package}" in capsys.readouterr().out


def test_a_missing_engine_is_named_with_its_remedy(capsys, monkeypatch):
    def find_none():
        raise UsageError("autostrada-engine is not built: run make setup")

    monkeypatch.setattr(doctor, "find_engine", find_none)
    assert not examine_machine(None, installs=False)
    assert "not built: run make setup" in capsys.readouterr().out


def test_packages_of_all_remedies_are_named_once():
    remedies = ["apt install gnat make", "see https://go.dev", "apt install make g++"]
    assert packages_of(remedies) == ["gnat", "make", "g++"]


def test_remedies_that_are_no_packages_are_left_to_the_user(capsys):
    finding = DoctorFinding(
        part="go", is_installed=False, text="", remedies=("see https://go.dev",)
    )
    assert not install([finding, ENGINE])
    assert capsys.readouterr().out == "install manually: see https://go.dev\n"


def test_packages_are_installed_by_a_command_that_is_shown(
    capfd, monkeypatch, tmp_path
):
    (tmp_path / "apt-get").write_text("#!/bin/sh\necho called $*\n")
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    finding = DoctorFinding(
        part="ada-fast", is_installed=False, text="", remedies=("apt install gnat",)
    )
    assert install([finding])
    install_arguments = "apt-get install --yes --no-install-recommends gnat"
    assert capfd.readouterr().out.splitlines() == [
        "apt-get update",
        "called update",
        install_arguments,
        f"called {install_arguments.removeprefix('apt-get ')}",
    ]


def test_other_systems_only_get_the_names_of_the_packages(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    finding = DoctorFinding(
        part="ada-fast", is_installed=False, text="", remedies=("apt install gnat",)
    )
    with pytest.raises(UsageError, match="install gnat manually"):
        install([finding])


def test_a_missing_permission_is_named_with_its_remedy(capsys, monkeypatch):
    def refuse(*_):
        raise UsageError("it is read-only; run autostrada as root")

    monkeypatch.setattr(doctor, "new_limited_cgroup", refuse)
    monkeypatch.setattr(doctor, "new_bridge", refuse)
    lacking = [each.part for each in examine(None) if not each.is_installed]
    assert lacking == ["limits of [server_host]", 'network = "bridge"']
    assert capsys.readouterr().out.count("run autostrada as root") == 2
