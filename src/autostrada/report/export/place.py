"""Where a page goes, and the folder beside it."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

PARQUET = "run.parquet"


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A page's file; what can be downloaded from it lies in a folder of that name."""

    path: Path
    is_kept: bool = False
    """
    Whether it goes into a repository, and so has to be small.

    Its charts are pictures then: the script that draws them is a megabyte in each page.
    Beside it lies the run alone, of which all else can be made.
    """

    @property
    def folder(self) -> Path:
        """Where charts, tables and the run lie as files."""
        if self.path.suffix:
            return self.path.with_suffix("")
        return self.path.with_name(f"{self.path.name}-files")

    def file(self, name: str) -> Path:
        """Return the file of a name, which may be the name of anything."""
        return self.folder / quote(name, safe=" +=")

    def link(self, name: str) -> str:
        """Return how the page refers to that file."""
        return f"{quote(self.folder.name)}/{quote(self.file(name).name)}"
