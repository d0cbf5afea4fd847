"""What the search for the limit of a server varies; imported by the command line."""

from typing import Literal

Varied = Literal["rate", "connections", "pipeline"]
