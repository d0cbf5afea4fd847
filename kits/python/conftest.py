"""Adds the kit to the import path, as PYTHONPATH does for a contestant."""

import sys
from pathlib import Path

KIT = Path(__file__).parent
sys.path[:0] = [str(KIT), str(KIT / "published")]
