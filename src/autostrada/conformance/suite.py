"""The Autobahn test suite: fetched once from PyPI and Maven, started by Java."""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.machine.process import Command, Process

FOLDER = Path(__file__).parent
PACKAGES = FOLDER / "packages"
LAUNCHER = FOLDER / "launcher.py"

TOOLS = {"java": "default-jre-headless", "mvn": "maven"}
"""Required programs, and the packages that contain them."""

JYTHON = "org.python:jython-standalone:2.7.4"
JYTHON_SHA256 = "1fba1769effcc8b19f5e10436bc8274a158ce988559f257927c24c73bb137f3c"
COPY_ARTIFACT = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"

JAVA_OPTIONS = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
"""Half the CPU time in short cases: most of them is spent on compiling the suite."""

ANY_PYTHON_2 = [
    *("--python-version", "2.7", "--implementation", "py"),
    *("--abi", "none", "--platform", "any"),
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Suite:
    """A folder in which the suite is ready to be started."""

    folder: Path
    version: str

    def start(self, mode: str, spec: Mapping[str, object], reports: Path) -> Process:
        """
        Start the suite as the fuzzing client or server of a specification.

        Raises:
            OSError: Java cannot be executed.
        """
        reports.mkdir(parents=True, exist_ok=True)
        file = reports / f"{mode}.json"
        complete = {**spec, "outdir": str(reports), "exclude-cases": []}
        file.write_text(json.dumps(complete), encoding="utf-8")
        arguments = ["java", *JAVA_OPTIONS, "-jar", str(jython(self.folder))]
        arguments += ["launcher.py"]
        arguments += ["--mode", mode, "--spec", str(file), "--webport", "0"]
        return Process(Command(arguments=arguments, folder=self.folder))


def missing_tools() -> str | None:
    """Return how to install missing required programs, or ``None``."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if not missing:
        return None
    packages = " ".join(TOOLS[tool] for tool in missing)
    return f"{' and '.join(missing)} missing: apt install {packages}"


def suite_version() -> str:
    """Return the version of the suite, and the digest of all that it is made of."""
    pins = (PACKAGES / "sources.txt").read_text(encoding="utf-8")
    (version,) = re.findall(r"^autobahntestsuite==(\S+)", pins, re.MULTILINE)
    return f"{version} {_digest()}"


def fetch(folder: Path) -> Suite:
    """
    Return the suite in a subfolder of ``folder``, fetched now or earlier.

    Raises:
        UsageError: a required program is missing, or a download fails.
    """
    if (missing := missing_tools()) is not None:
        raise UsageError(missing)
    ready = folder / f"suite-{_digest()}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            with tempfile.TemporaryDirectory(dir=folder) as made:
                _make(Path(made) / "suite")
                shutil.copy2(LAUNCHER, Path(made) / "suite")
                _compile(Path(made) / "suite")
                (Path(made) / "suite").rename(ready)
    return Suite(folder=ready, version=suite_version())


def _digest() -> str:
    pinned = b"".join(file.read_bytes() for file in sorted(PACKAGES.glob("*.txt")))
    content = pinned + JYTHON.encode() + LAUNCHER.read_bytes()
    return sha256(content).hexdigest()[:16]


def jython(folder: Path) -> Path:
    """Return the interpreter of Python 2 in a folder."""
    _, name, version = JYTHON.split(":")
    return folder / f"{name}-{version}.jar"


def _make(folder: Path) -> None:
    folder.mkdir()
    _fetch_jython(folder)
    with tempfile.TemporaryDirectory(dir=folder.parent) as fetched:
        _fetch_packages(Path(fetched))
        for archive in sorted(Path(fetched, "archives").iterdir()):
            _unpack(archive, folder / "packages")
    # An installed wheel has a file beside the folder that declares the package.
    (folder / "packages" / "zope" / "__init__.py").touch()


def _compile(folder: Path) -> None:
    """
    Compile what the suite imports.

    Processes that are started at the same time would read each other's unfinished
    files.
    """
    arguments = ["java", "-jar", jython(folder).name, LAUNCHER.name, "--help"]
    environment = {
        name: value
        for name, value in os.environ.items()
        if name != "PYTHONDONTWRITEBYTECODE"
    }
    subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, check=False
    )


def _fetch_jython(folder: Path) -> None:
    arguments = ["mvn", "--quiet", "--batch-mode", "--strict-checksums", COPY_ARTIFACT]
    _run([*arguments, f"-Dartifact={JYTHON}", f"-DoutputDirectory={folder}"])
    if sha256(jython(folder).read_bytes()).hexdigest() != JYTHON_SHA256:
        raise UsageError(
            f"{JYTHON} from Maven has another hash than pinned: see {LAUNCHER.parent}"
        )


def _fetch_packages(folder: Path) -> None:
    """Download the archives with pip, which runs the setup of source packages."""
    _run([sys.executable, "-m", "venv", str(folder / "venv")])
    pip = [str(folder / "venv" / "bin" / "python"), "-m", "pip", "--quiet"]
    pip += ["--disable-pip-version-check"]
    hashed = ["--require-hashes", "--no-deps"]
    _run([*pip, "install", *hashed, "-r", str(PACKAGES / "tools.txt")])
    download = [*pip, "download", *hashed, "-d", str(folder / "archives")]
    wheels = ["--only-binary", ":all:", *ANY_PYTHON_2]
    _run([*download, *wheels, "-r", str(PACKAGES / "wheels.txt")])
    sources = ["--no-binary", ":all:", "--no-build-isolation"]
    _run([*download, *sources, "-r", str(PACKAGES / "sources.txt")])


def _unpack(archive: Path, packages: Path) -> None:
    """Extract the Python packages from a wheel, or from sources that need no build."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(packages)
        return
    with tempfile.TemporaryDirectory(dir=packages.parent) as unpacked:
        with tarfile.open(archive) as sources:
            sources.extractall(unpacked, filter="data")
        (top,) = Path(unpacked).iterdir()
        source = top / "src" if (top / "src").is_dir() else top
        for package in source.iterdir():
            if (package / "__init__.py").exists() or package.name == "zope":
                shutil.copytree(package, packages / package.name, dirs_exist_ok=True)


def _run(arguments: list[str]) -> None:
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        output = (
            ended.stderr.strip() or ended.stdout.strip() or "nothing"
        ).splitlines()
        program = Path(arguments[0]).name
        raise UsageError(
            f"cannot fetch the test suite: {program} printed: {output[-1]}; "
            "are PyPI and Maven Central reachable?"
        )
