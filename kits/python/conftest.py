"""Puts the kit on the path, as PYTHONPATH does where a contestant runs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
