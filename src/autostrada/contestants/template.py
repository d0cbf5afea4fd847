"""
The command ``autostrada new``: creates a contestant's folder from a template.

The template of a language is ``template/<language>`` in a kit: a client that receives
and a server that echoes, with marks at the places for calls of the library.
"""

import re
import shutil
from pathlib import Path

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import BUILD_PRODUCTS, source_files
from autostrada.errors import UsageError

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
LIBRARY = "LIBRARY"
"""Placeholder for the library's name in templates."""

ADDED = "manifest.toml"
"""Name of the file in a template with what a language adds to ``MANIFEST``."""

MARK = "lacks the calls of the library"
"""Text in a program in which calls of the library are still missing."""

MANIFEST = """\
# A one-sentence description of LIBRARY.

library  = "LIBRARY"
homepage = "https://…"
{added}
[server]                           # omit both tables if the library has no server

[server.settings]                  # from its source: clause 1.6 of docs/contract.md
read_buffer  = "…"
backpressure = "…"

[client]                           # omit both tables if the library has no client
validates_utf8 = true              # the library refuses a text that is not UTF-8

[client.settings]
read_buffer = "…"
"""

README = """\
# {name}

[library](https://…) version: its server and client.

The code follows the library's documentation: which page.

What the library cannot do: …

## Known to be unfair

- …
"""


def new(name: str, extra_contestants: Path | None) -> Path:
    """
    Create a folder from the template of the language; return its path.

    Raises:
        UsageError: the name is invalid or exists already, the language has no template,
            or the folder is not writable.
    """
    if not NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a contestant's name: write <language>-<library>, with "
            f"lower-case letters, digits and hyphens"
        )
    catalog = find_catalog()
    if not extra_contestants:
        catalog.expect_checkout()
    language, _, library = name.partition("-")
    templates = {each.name: each for each in catalog.root.glob("kits/*/template/*")}
    template = templates.get(language)
    if template is None:
        raise UsageError(
            f"no template for {language!r}; there is one for "
            f"{', '.join(sorted(templates)) or 'no language'}: create the folder "
            f"(docs/contract.md), and a kit if there is none (CONTRIBUTING.md)"
        )
    folder = (extra_contestants or catalog.root / "contestants") / name
    try:
        products = shutil.ignore_patterns(*BUILD_PRODUCTS)
        shutil.copytree(template, folder, ignore=products)
        added = folder / ADDED
        manifest = MANIFEST.format(added=added.read_text() if added.is_file() else "")
        added.unlink(missing_ok=True)
        (folder / "contestant.toml").write_text(manifest, encoding="utf-8")
        for path in source_files(folder).values():
            text = path.read_text(encoding="utf-8").replace(LIBRARY, library)
            path.write_text(text, encoding="utf-8")
        (folder / "README.md").write_text(README.format(name=name), encoding="utf-8")
    except FileExistsError as error:
        raise UsageError(f"{folder} exists already: choose another name") from error
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror}") from error
    files = source_files(folder).items()
    programs = [name for name, path in files if MARK in path.read_text("utf-8")]
    print(
        f"{folder}: a client that receives and a server that echoes.\n"
        f"Add the calls of your library at the marks in {', '.join(programs)}, and its "
        f"version and dependency in the other files.\n"
        f"Then: autostrada lock {folder}; autostrada verify {name}"
        + (f" --contestants {extra_contestants}" if extra_contestants else "")
    )
    return folder
