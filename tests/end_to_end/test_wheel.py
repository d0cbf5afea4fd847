"""A wheel has the engine, and works where neither checkout nor compiler is."""

import json
import os
import subprocess
import sys
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest

from autostrada.engine.process import find_engine

ROOT = Path(__file__).parents[2]
MANIFESTS = [*ROOT.glob("contestants/*/contestant.toml")]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        env=os.environ | {"AUTOSTRADA_ENGINE": str(find_engine())},
        capture_output=True,
        check=True,
    )
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_names_its_platform_and_has_all_files(wheel):
    assert wheel.name.split("-")[2:4] == ["py3", "none"]
    assert "any" not in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = {name.partition("/")[2] for name in archive.namelist()}
    assert "scripts/autostrada-engine" in names
    assert {"report/application/application.js", "cli/load.py"} <= names
    contestants = {f"catalog/{each.relative_to(ROOT)}" for each in MANIFESTS}
    assert contestants <= names


def test_the_container_installs_this_wheel(wheel):
    lines = (ROOT / "Containerfile").read_text().splitlines()
    steps = dict(line.split(" ", 1) for line in lines if not line.startswith("#"))
    source, _ = steps["COPY"].split()
    assert Path(source).parent == Path(".build/dist")
    assert fnmatch(wheel.name, Path(source).name)
    (program,) = json.loads(steps["ENTRYPOINT"])
    with zipfile.ZipFile(wheel) as archive:
        (points,) = (n for n in archive.namelist() if n.endswith("entry_points.txt"))
        assert f"{program} = " in archive.read(points).decode()


def test_installed_it_finds_its_engine_and_its_contestants(wheel, tmp_path):
    # The dependencies are those of this environment, so that nothing is downloaded.
    environment = tmp_path / "venv"
    new = [sys.executable, "-m", "venv", "--without-pip", environment]
    subprocess.run(new, check=True)
    python = environment / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install"]
    options = ["--no-deps", "--no-index", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, *options, wheel], check=True)
    (packages,) = (environment / "lib").glob("python*/site-packages")
    own = Path(sys.executable).parents[1] / packages.relative_to(environment)
    (packages / "others.pth").write_text(f"{own}\n")

    def ran(*arguments):
        return subprocess.run(
            [environment / "bin" / "autostrada", *arguments],
            env={"PATH": "/nowhere", "XDG_CACHE_HOME": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    assert "autostrada load [OPTIONS] [URL]" in ran("load", "--help").stdout
    assert MANIFESTS[0].parent.name in ran("list").stdout
    refused = ran("new", "python-mine")
    assert refused.returncode == 2
    assert "this needs a checkout of Autostrada" in refused.stderr
