"""A catalog of contestants in Ada, whose builds a test defines."""

import json
import shutil

import pytest

from autostrada.contestants.catalog import Catalog, find_catalog

MANIFEST = """
library  = "{name}"
homepage = ""
client.command  = ["./client"]
client.delivers = "bytes"
client.validates_utf8 = true
version.command = ["echo", "1.2.3"]
build.commands  = [["sh", "-c", {build}]]

[requires.gnat]
command = ["echo", "{gnat}"]
matches = 'GNAT 1\\d'
install = "apt install gnat"

[[variant]]
name = "tasks"
env  = {{}}
"""


class CatalogBuilder:
    """A catalog to which contestants are added one by one."""

    def __init__(self, folder):
        self.catalog = Catalog(root=folder)
        self.add("fast")

    def add(self, name, *, build="true", gnat="GNAT 12.2"):
        folder = self.catalog.root / "contestants" / f"ada-{name}"
        folder.mkdir(parents=True)
        text = MANIFEST.format(name=name, build=json.dumps(build), gnat=gnat)
        (folder / "contestant.toml").write_text(text)

    def describe_languages(self):
        """Add the descriptions of the repository's kits, without their programs."""
        kits = find_catalog().root / "kits"
        for path in kits.glob("*/kit.toml"):
            folder = self.catalog.root / "kits" / path.parent.name
            folder.mkdir(parents=True)
            shutil.copy2(path, folder)

    @property
    def contestants(self):
        return self.catalog.contestants()


@pytest.fixture
def catalog_builder(tmp_path):
    return CatalogBuilder(tmp_path)
