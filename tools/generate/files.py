"""Finds generated files that differ from their source."""

import json
import subprocess
import sys
from pathlib import Path

from autostrada.engine.process import find_engine
from autostrada.stats.metrics import describe_metrics
from tools.generate.messages import messages
from tools.generate.schema import Definitions
from tools.generate.tables import with_tables
from tools.generate.typescript import typescript

ROOT = Path(__file__).parents[2]
MESSAGES = ROOT / "src/autostrada/engine/messages.py"
TABLES = ROOT / "docs/format.md"
METRICS = ROOT / "docs/experiments.md"
PAGES = ROOT / "site/src/document.ts"


def read_definitions() -> Definitions:
    """Return the definitions of the built engine's JSON Schema, by name."""
    printed = subprocess.run(
        [str(find_engine()), "schema"], capture_output=True, check=True
    )
    return definitions_of(printed.stdout)


def definitions_of(schema: bytes) -> Definitions:
    """Return the definitions of a JSON Schema, by name."""
    definitions: Definitions = json.loads(schema)["$defs"]
    return definitions


def stale_files(definitions: Definitions) -> dict[Path, str]:
    """Return the correct text of each file that differs from its source, by path."""
    expected = {
        MESSAGES: _formatted(messages(definitions)),
        TABLES: with_tables(TABLES.read_text(encoding="utf-8"), definitions),
        METRICS: _with_part(_read(METRICS), "metrics.toml", describe_metrics()),
        PAGES: typescript(),
    }
    return {path: text for path, text in expected.items() if _read(path) != text}


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _with_part(text: str, source: str, described: str) -> str:
    """Replace the part of a document that is generated from a source."""
    head, begin, rest = text.partition(f"<!-- generated from {source} -->\n")
    _, end, tail = rest.partition("<!-- end -->")
    return f"{head}{begin}{described.strip()}\n{end}{tail}"


def _formatted(code: str) -> str:
    ruff = Path(sys.executable).with_name("ruff")
    command = [str(ruff), "format", "--stdin-filename", str(MESSAGES), "-"]
    return subprocess.run(
        command, input=code, capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
