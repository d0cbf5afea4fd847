"""The files that are generated, whole or in part."""

import json
import subprocess
import sys
from pathlib import Path

from autostrada.stats.figures import describe_figures
from tools.generate.messages import messages
from tools.generate.schema import Definitions
from tools.generate.tables import with_tables

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "crates/autostrada-engine/schema.json"
MESSAGES = ROOT / "src/autostrada/engine/messages.py"
TABLES = ROOT / "docs/format.md"
FIGURES = ROOT / "docs/experiments.md"


def read_definitions() -> Definitions:
    """Return the objects of the engine's documents, by name."""
    definitions: Definitions = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    return definitions


def stale_files() -> dict[Path, str]:
    """Return what the files that do not agree with their source must hold."""
    definitions = read_definitions()
    expected = {
        MESSAGES: _formatted(messages(definitions)),
        TABLES: with_tables(TABLES.read_text(encoding="utf-8"), definitions),
        FIGURES: _with_figures(FIGURES.read_text(encoding="utf-8")),
    }
    return {path: text for path, text in expected.items() if _read(path) != text}


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _with_figures(text: str) -> str:
    head, begin, rest = text.partition("<!-- generated from figures.toml -->\n")
    _, end, tail = rest.partition("<!-- end -->")
    return f"{head}{begin}{describe_figures()}\n{end}{tail}"


def _formatted(code: str) -> str:
    ruff = Path(sys.executable).with_name("ruff")
    command = [str(ruff), "format", "--stdin-filename", str(MESSAGES), "-"]
    return subprocess.run(
        command, input=code, capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
