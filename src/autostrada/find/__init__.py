"""Finds the most that a server of the user takes before an objective breaks."""

from typing import Literal

Varied = Literal["rate", "connections", "pipeline"]
"""What is raised; here, because the command line imports it for its help."""
