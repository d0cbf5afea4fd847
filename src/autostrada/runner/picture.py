"""Pictures of charts for documents, drawn by Node.js as pages draw them."""

import subprocess
from pathlib import Path

from autostrada.errors import EngineError, UsageError

LIMIT_S = 60
"""Time limit of a picture, which only a defect reaches."""


def draw_picture(script: Path, chart: str) -> str:
    """
    Return a chart, given as JSON, as an SVG file; ``script`` is the application's.

    Raises:
        UsageError: Node.js is not installed.
        EngineError: the chart cannot be drawn.
    """
    try:
        drawn = subprocess.run(
            ["node", str(script)],
            input=chart,
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT_S,
        )
    except FileNotFoundError as error:
        raise UsageError(
            "pictures of documents need Node.js 20 or newer: apt install nodejs"
        ) from error
    except subprocess.SubprocessError as error:
        said = (getattr(error, "stderr", None) or str(error)).strip()
        raise EngineError(f"a picture cannot be drawn: {said}") from error
    return drawn.stdout
