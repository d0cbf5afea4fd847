"""A contestant: a folder with programs, described by its manifest."""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StrictBool

from autostrada.engine.plans import Protocol
from autostrada.errors import UsageError
from autostrada.experiment.document import (
    Document,
    check_document,
    load_document,
    read_document,
)

Word = Annotated[str, Field(pattern=r"^[^\x00]*$")]
"""An argument or value without zero bytes, which the kernel does not accept."""


def _is_pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from error
    return value


Pattern = Annotated[str, AfterValidator(_is_pattern)]
Command = Annotated[tuple[Word, ...], Field(min_length=1)]
BuildName = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
VariableName = Annotated[str, Field(pattern=r"^[^\x00=]+$")]
Environment = dict[VariableName, Word]
Table = dict[str, Any]
"""A table in TOML, unchecked."""

Role = Literal["client", "server"]
"""The role of one of a contestant's programs."""

ROLES: tuple[Role, ...] = ("client", "server")

FOR_CLIENTS = {"NO_PROXY": "*", "no_proxy": "*"}
"""Environment variables of every contestant's client."""

Delivery = Literal["string", "utf-8", "bytes"]
"""What a client holds of a text that it has received: docs/contract.md, 3.5."""

SettingName = Literal[
    "read_buffer", "write_buffer", "backpressure", "compression", "nodelay"
]
"""Settings of libraries that decide ranks: docs/contract.md, clause 1.6."""

Setting = Annotated[str, Field(min_length=1, max_length=60)]
Settings = dict[SettingName, Setting]
"""What a library's settings are, in words; they do not change a program."""

BUILD_PRODUCTS = {".git", "__pycache__", "node_modules", "target", "venv"}
"""Names of folders that are never part of a contestant's sources."""


WARM_UP_MAX_S = 60.0
"""Longest warm-up of a program, in seconds."""


class Requirement(Document):
    """A requirement of the machine: a command that checks it, and the remedy."""

    command: Command
    matches: Pattern
    install: str


class Program(Document):
    """How a client or server is started, and its additional environment variables."""

    command: Command
    env: Environment = Field(default_factory=dict)
    deflate: StrictBool = False
    """Whether a server supports compression, or a client's library offers it by
    default."""

    warm_up_s: float = Field(default=0.0, ge=0, le=WARM_UP_MAX_S)
    """Time under load, in seconds, after which its rate no longer grows."""


class Client(Program):
    """A client: what it holds of a text, and what it supports."""

    delivers: Delivery
    validates_utf8: StrictBool
    """Whether the library refuses a text that is not UTF-8."""

    refusals: StrictBool = True
    """Whether the library distinguishes a refused message from the end of the
    connection."""

    eof: StrictBool = True
    """Whether the library always reports that the stream has ended without a closing
    frame."""

    reply: StrictBool = True
    """Whether the client has the verb ``reply``."""

    optional_deflate: StrictBool = True
    """Whether the client can leave out its library's offer of compression."""

    tls: StrictBool = True
    """Whether the client trusts the certificates of ``SSL_CERT_FILE``."""

    settings: Settings = Field(default_factory=dict)


class Server(Program):
    """A server, and what it supports."""

    tls: StrictBool = False
    publish: StrictBool = True
    """Whether the server has ``/publish`` and ``/subscribe``."""

    settings: Settings = Field(default_factory=dict)


class PublishedClient(Program):
    """A client of feeds: docs/published.md, section 2."""

    decode: StrictBool = False
    """Whether the client supports ``DECODE``."""

    seconds: StrictBool = False
    """Whether the client supports ``SECONDS``."""


class PublishedServer(Program):
    """A server of feeds, of a game, or of pushes: docs/published.md."""

    tls: StrictBool = False
    bars: StrictBool = False
    """Whether stocks of its feed can be series."""

    work: StrictBool = False
    """Whether the server computes before each answer, for ``WORK_US``."""

    push: StrictBool = False
    """Whether the server has ``/N``, for ``PUSH``."""


class PublishedPrograms(Document):
    """The programs of published comparisons: docs/published.md."""

    server: PublishedServer | None = None
    client: PublishedClient | None = None


class Build(Document):
    """Commands of a build, run in order."""

    commands: tuple[Command, ...]


class Version(Document):
    """The command that prints the library's version."""

    command: Command


class Defaults(Document):
    """The tables of a kit that manifests inherit: docs/contract.md, clause 1.1."""

    languages: tuple[str, ...] = ()
    """Languages whose manifests inherit; empty for that of the kit's name."""

    requires: dict[str, Requirement] = Field(default_factory=dict)
    optional: dict[str, Requirement] = Field(default_factory=dict)
    """Requirements of manifests that name them."""

    build: Build = Build(commands=())
    version: Version | None = None
    server: Table = Field(default_factory=dict)
    client: Table = Field(default_factory=dict)
    published: dict[Role, Table] = Field(default_factory=dict)

    def completed(self, manifest: Table, kit: str) -> Table:
        """Return a manifest's tables with what they inherit from the kit of a name."""
        own = self.model_dump(exclude_none=True)
        inherited: Table = {
            "kit": kit,
            **{key: own[key] for key in ("build", "version") if key in own},
            **_named({"server": self.server, "client": self.client}, manifest),
            "published": _named(own["published"], manifest.get("published")),
            "requires": own["requires"]
            | _named(own["optional"], manifest.get("requires")),
        }
        if "version" in inherited:
            words = inherited["version"]["command"]
            library = str(manifest.get("library"))
            inherited["version"] = {
                "command": [word.replace("{library}", library) for word in words]
            }
        merged: dict[str, Any] = _merged(manifest, inherited)
        return merged


def _named(tables: Table, manifest: object) -> Table:
    """Return the tables of a kit whose names a manifest has."""
    names = manifest if isinstance(manifest, dict) else {}
    return {name: table for name, table in tables.items() if name in names}


def _merged(stated: Any, inherited: Any) -> Any:
    """Return a value, to which a table adds the keys that it does not state."""
    if not (isinstance(stated, dict) and isinstance(inherited, dict)):
        return stated
    return inherited | {
        key: _merged(value, inherited.get(key)) for key, value in stated.items()
    }


class Variant(Document):
    """The same programs with one setting changed, or with another protocol."""

    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    env: Environment
    """Environment variables that select the variant."""

    programs: Annotated[tuple[Role, ...], Field(min_length=1)] = ROLES
    """Roles of the programs that have this variant."""

    protocol: Protocol | None = None
    """Protocol of the variant; ``None`` for that of the manifest."""

    published: StrictBool = False
    """Whether the variant is one of published programs only."""

    build: str | None = None
    """Name of the variant's build in ``builds``; ``None`` for ``[build]``."""


class Manifest(Document):
    """The content of a ``contestant.toml``: ``docs/contract.md``, section 1."""

    library: str
    language: str
    homepage: str
    protocol: Protocol = "websocket"
    kit: str | None = Field(default=None, pattern=r"^[a-z0-9]+$")
    """Folder in kits/ that the programs use; ``None`` for that of the language."""

    server: Server | None = None
    client: Client | None = None
    published: PublishedPrograms = PublishedPrograms()
    requires: dict[str, Requirement] = Field(default_factory=dict)
    build: Build = Build(commands=())
    builds: dict[BuildName, Build] = Field(default_factory=dict)
    """Builds of variants, by name, with other versions of libraries."""

    version: Version
    variant: tuple[Variant, ...] = ()

    def programs(self) -> dict[str, Program]:
        """Return all programs by the name of their table."""
        found: dict[str, Program | None] = {
            "client": self.client,
            "server": self.server,
            "published.client": self.published.client,
            "published.server": self.published.server,
        }
        return {table: program for table, program in found.items() if program}


@dataclass(frozen=True, kw_only=True, slots=True)
class Contestant:
    """A folder and one of its variants; variants with the same build share it."""

    folder: Path
    variant: Variant | None
    manifest: Manifest

    @property
    def name(self) -> str:
        """Name of the folder, followed by a plus sign and the variant if any."""
        suffix = f"+{self.variant.name}" if self.variant else ""
        return self.folder.name + suffix

    def program(self, role: Role, *, published: bool = False) -> Program | None:
        """
        Return the program with a role in this variant; ``None`` if there is none.

        With ``published`` it is that of the published comparisons.
        """
        variant = self.variant
        if variant and role not in variant.programs:
            return None
        if variant and variant.published and not published:
            return None
        table = f"published.{role}" if published else role
        return self.manifest.programs().get(table)

    def has(self, role: Role, *, published: bool = False) -> bool:
        """Whether the contestant, in this variant, has a program with a role."""
        return self.program(role, published=published) is not None

    @property
    def protocol(self) -> Protocol:
        """The protocol that the programs speak."""
        own = self.variant.protocol if self.variant else None
        return own or self.manifest.protocol

    @property
    def build(self) -> Build:
        """The commands that build the contestant, in this variant."""
        return self.manifest.builds[self._build] if self._build else self.manifest.build

    @property
    def build_name(self) -> str:
        """Name of the build: of the folder, and after ``@`` of the variant's build."""
        return f"{self.folder.name}@{self._build}" if self._build else self.folder.name

    @property
    def _build(self) -> str | None:
        return self.variant.build if self.variant else None

    @property
    def kit(self) -> str:
        """Name of the folder in kits/ that the programs use; it may not exist."""
        return self.manifest.kit or self.manifest.language

    def environment(self, program: Program) -> dict[str, str]:
        """Return the environment variables that the manifest sets for a program."""
        return program.env | (self.variant.env if self.variant else {})


def parse_manifest(
    text: str, *, folder: Path, kits: Mapping[str, Defaults] | None = None
) -> tuple[Contestant, ...]:
    """
    Parse a manifest; return the contestant without a variant, then each variant.

    ``kits`` has the kits by name. A manifest that names a kit inherits nothing.

    Raises:
        UsageError: the text is not TOML, a key is missing or unknown, two variants have
            the same name, the language contradicts the folder's name, or a program does
            not exist.
    """
    origin = f"{folder.name}/contestant.toml"
    language = folder.name.partition("-")[0]
    tables = {"language": language} | load_document(text, origin=origin)
    for name, kit in (kits or {}).items():
        if language in (kit.languages or (name,)) and "kit" not in tables:
            tables = kit.completed(tables, name)
    hint = "; docs/contract.md section 1 has the keys"
    manifest = check_document(Manifest, tables, origin, hint)
    if not folder.name.startswith(f"{manifest.language}-"):
        raise UsageError(
            f"{origin}: language {manifest.language!r} is not the first part of the "
            f"folder's name: change either"
        )
    _check_programs(manifest, folder, origin)
    if len({variant.name for variant in manifest.variant}) < len(manifest.variant):
        raise UsageError(f"{origin}: two variants have the same name: change one")
    return tuple(
        Contestant(folder=folder, variant=variant, manifest=manifest)
        for variant in (None, *manifest.variant)
    )


def _check_programs(manifest: Manifest, folder: Path, origin: str) -> None:
    programs = manifest.programs()
    if not programs:
        raise UsageError(f"{origin}: no program: give [client], [server], or both")
    # Files with a suffix of the folder's files are sources, not build products.
    suffixes = {path.suffix for path in folder.glob("*.*")}
    for table, program in programs.items():
        for word in program.command:
            is_source = Path(word).suffix in suffixes
            if is_source and not (folder / word).is_file():
                raise UsageError(
                    f"{origin}: {table}.command: {word} is not in the folder: add it, "
                    f"or omit [{table}]"
                )
    for variant in manifest.variant:
        if variant.build is not None and variant.build not in manifest.builds:
            raise UsageError(
                f"{origin}: variant {variant.name!r}: build {variant.build!r} does "
                f"not exist: add [builds.{variant.build}], or change it"
            )
        tables = {f"published.{role}" for role in variant.programs}
        if not variant.published:
            tables |= set(variant.programs)
        if not tables & set(programs):
            raise UsageError(
                f"{origin}: variant {variant.name!r} is for a program that does not "
                f"exist: change its programs"
            )


def read_contestants(
    contestants: Path, kits: Mapping[str, Defaults] | None = None
) -> dict[str, Contestant]:
    """
    Read the manifests of all subfolders; return the contestants by name, sorted.

    ``kits`` has the kits by name, from which manifests inherit.
    """
    found = (
        contestant
        for path in sorted(contestants.glob("*/contestant.toml"))
        for contestant in parse_manifest(
            read_document(path), folder=path.parent, kits=kits
        )
    )
    return {contestant.name: contestant for contestant in found}


def source_files(folder: Path) -> Mapping[str, Path]:
    """
    Return a folder's files by relative path, sorted, without build products.

    For a single file, its relative path is ``"."``.
    """
    if folder.is_file():
        return {".": folder}
    return {
        str(path.relative_to(folder)): path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not BUILD_PRODUCTS.intersection(path.relative_to(folder).parts)
    }


def content_digest(folders: Mapping[str, Path]) -> str:
    """Return the SHA-256, in hex, of the names, modes and contents of all files."""
    digest = hashlib.sha256()
    for name, folder in folders.items():
        for relative, path in source_files(folder).items():
            content = path.read_bytes()
            is_executable = path.stat().st_mode & 0o100
            head = f"{name}/{relative}\0{is_executable}\0{len(content)}\0"
            digest.update(os.fsencode(head) + content)
    return digest.hexdigest()
