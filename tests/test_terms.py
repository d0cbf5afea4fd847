"""Names and texts use the terms of the field and plain English: docs/glossary.md."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
READ = (
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "benches",
    "contestants",
    "crates",
    "docs",
    "experiments",
    "fuzz",
    ":(exclude)fuzz/corpus",
    "kits",
    "src",
    "tests",
)
GENERATED = Path("src/autostrada/engine/messages.py")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
"""Code in documents."""

INSTEAD = {
    "agenda": "trial queue",
    "audiences?": "subscribers",
    "baton": "accept token",
    "beforehand": "in advance",
    "brings? home": "returns",
    "busy shares?": "utilization",
    "by (its|their) own word": "as it reports",
    "cannot be told": "inconclusive",
    "clumps?": "burst",
    "dialects?": "protocol",
    "farewell": "close",
    "held (it )?back": "the bottleneck",
    "in vain": "without success",
    "knees?": "capacity",
    "known weights?": "fault case",
    "ledger": "send accounting",
    "not invited": "not tested",
    "outgrown": "memory lower bound",
    "puzzles?": "anomaly",
    "referees?": "measuring side",
    "requirement missing": "not installed",
    "rubbish": "invalid output",
    "slip of the pen": "typing error",
    "sure to at least": "confidence ≥",
    "surely": "significantly",
    "twins?": "independent peer",
    "unwell(ness)?|wellness": "violation",
    "weigh(s|ed|ing)?": "run the case",
    "what came out of": "results",
}


def texts():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *READ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for path in map(Path, listed.stdout.splitlines()):
        is_archived = path.parts[:2] == ("docs", "results")
        is_own = ROOT / path == Path(__file__)
        if (
            (ROOT / path).is_file()
            and path != GENERATED
            and not (is_archived or is_own)
        ):
            text = (ROOT / path).read_text(encoding="utf-8", errors="replace")
            yield path, CODE.sub("", text)


TEXTS = dict(texts())


def test_texts_are_found():
    assert len(TEXTS) > 200


@pytest.mark.parametrize("phrase", INSTEAD)
def test_a_term_of_the_field_is_used_instead(phrase):
    pattern = re.compile(rf"(?<![a-z])({phrase})(?![a-z])", re.IGNORECASE)
    found = [
        f"{path}: {match[0]}"
        for path, text in TEXTS.items()
        for match in pattern.finditer(text)
    ]
    assert not found, f"write {INSTEAD[phrase]!r}: {found}"
