"""A contestant: one folder, described by its manifest."""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StrictBool

from autostrada.errors import UsageError
from autostrada.experiment.document import Document, parse_document, read_document

Word = Annotated[str, Field(pattern=r"^[^\x00]*$")]
"""No process can be given a zero byte."""


def _is_a_pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"is no regular expression: {error}") from error
    return value


Pattern = Annotated[str, AfterValidator(_is_a_pattern)]
Command = Annotated[tuple[Word, ...], Field(min_length=1)]
VariableName = Annotated[str, Field(pattern=r"^[^\x00=]+$")]
Environment = dict[VariableName, Word]

Role = Literal["client", "server"]
"""Which of a contestant's programs."""

ROLES: tuple[Role, ...] = ("client", "server")

ClientWorkload = Literal["receive", "feed", "echo"]

Protocol = Literal["websocket", "socketio", "framed-tcp"]
"""What its programs speak: docs/contract.md, sections 3 to 8, 9, and 10."""

BUILD_PRODUCTS = {".git", "__pycache__", "node_modules", "target", "venv"}
"""Folder names that are never a contestant's source."""


class Requirement(Document):
    """What a machine must have, how to see whether it has it, and the remedy."""

    command: Command
    matches: Pattern
    install: str


class Program(Document):
    """How a client or server is started, and what its environment has beside ours."""

    command: Command
    env: Environment = Field(default_factory=dict)
    deflate: StrictBool = False
    """A server can compress; a client's library offers it where nobody forbids it."""


class Client(Program):
    """A client, and the workloads that it plays."""

    workloads: Annotated[tuple[ClientWorkload, ...], Field(min_length=1)] = ("receive",)

    refusals: StrictBool = True
    """Its library tells a message that it refuses from the end of the connection."""


class Server(Program):
    """A server, and what it can do beside the least."""

    workers: StrictBool = False
    """Several processes can share its port."""

    tls: StrictBool = False

    feed: StrictBool = True
    """It has ``/feed``: docs/contract.md, 8.5 to 8.9."""


class Build(Document):
    """Commands that are run once, in order."""

    commands: tuple[Command, ...]


class Version(Document):
    """The command that prints the library's version."""

    command: Command


class Variant(Document):
    """The same programs with one setting changed, or with another protocol."""

    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    env: Environment
    programs: Annotated[tuple[Role, ...], Field(min_length=1)] = ROLES
    """Which of them it is about, where they are there."""

    protocol: Protocol | None = None
    """What they speak, where it is not what the manifest says."""


class Manifest(Document):
    """One ``contestant.toml``; ``docs/contract.md`` section 1."""

    library: str
    language: str
    homepage: str
    protocol: Protocol
    kit: str | None = Field(default=None, pattern=r"^[a-z0-9]+$")
    """The folder of kits/ that its programs use, where it is not the language's."""

    server: Server | None = None
    client: Client | None = None
    requires: dict[str, Requirement] = Field(default_factory=dict)
    build: Build = Build(commands=())
    version: Version
    variant: tuple[Variant, ...] = ()

    def programs(self) -> dict[Role, Program]:
        """Return the programs that there are."""
        found = {"client": self.client, "server": self.server}
        return {role: program for role in ROLES if (program := found[role])}


@dataclass(frozen=True, kw_only=True, slots=True)
class Contestant:
    """A folder and one of its variants; two variants share one build."""

    folder: Path
    variant: str | None
    manifest: Manifest

    @property
    def name(self) -> str:
        """Its identity: the folder's name, and the variant's behind a plus sign."""
        suffix = f"+{self.variant}" if self.variant else ""
        return self.folder.name + suffix

    def has(self, role: Role) -> bool:
        """Whether it has such a program, and its variant is about it."""
        return role in self.manifest.programs() and all(
            role in variant.programs for variant in self._variants()
        )

    @property
    def protocol(self) -> Protocol:
        """What its programs speak."""
        spoken = [each.protocol for each in self._variants() if each.protocol]
        return spoken[0] if spoken else self.manifest.protocol

    @property
    def kit(self) -> str:
        """The folder of kits/ that its programs use; there may be none."""
        return self.manifest.kit or self.manifest.language

    def words(self, role: Role) -> tuple[str, ...]:
        """Return the command of one of its programs."""
        return self.manifest.programs()[role].command

    def has_deflate(self, role: Role) -> bool:
        """Whether one of its programs knows ``COMPRESSION``."""
        return self.manifest.programs()[role].deflate

    def environment(self, role: Role) -> dict[str, str]:
        """Return what its manifest adds to the environment of one of its programs."""
        added = dict(self.manifest.programs()[role].env)
        for variant in self._variants():
            added |= variant.env
        return added

    def _variants(self) -> list[Variant]:
        return [each for each in self.manifest.variant if each.name == self.variant]


def parse_manifest(text: str, *, folder: Path) -> tuple[Contestant, ...]:
    """
    Read a manifest; return the plain contestant and each of its variants.

    Raises:
        UsageError: it is no TOML, a key is missing or unknown, two variants have one
            name, it contradicts the folder's name, or a program is not there.
    """
    origin = f"{folder.name}/contestant.toml"
    manifest = parse_document(
        Manifest, text, origin=origin, hint="; docs/contract.md section 1 has the keys"
    )
    if not folder.name.startswith(f"{manifest.language}-"):
        raise UsageError(
            f"{origin}: language {manifest.language!r} is not the first part of the "
            f"folder's name: change either"
        )
    _check_programs(manifest, folder, origin)
    variants = (None, *(variant.name for variant in manifest.variant))
    if len(set(variants)) < len(variants):
        raise UsageError(f"{origin}: two variants have the same name: change one")
    return tuple(
        Contestant(folder=folder, variant=variant, manifest=manifest)
        for variant in variants
    )


def _check_programs(manifest: Manifest, folder: Path, origin: str) -> None:
    programs = manifest.programs()
    if not programs:
        raise UsageError(f"{origin}: no program: give [client], [server], or both")
    # A file of such a suffix is run as it is written: nothing builds it.
    suffixes = {path.suffix for path in folder.glob("*.*")}
    for role, program in programs.items():
        for word in program.command:
            is_source = Path(word).suffix in suffixes
            if is_source and not (folder / word).is_file():
                raise UsageError(
                    f"{origin}: {role}.command: {word} is not in the folder: write it, "
                    f"or leave out [{role}]"
                )
    for variant in manifest.variant:
        if not set(variant.programs) & set(programs):
            raise UsageError(
                f"{origin}: variant {variant.name!r} is about a program that is not "
                f"there: change its programs"
            )


def read_contestants(contestants: Path) -> dict[str, Contestant]:
    """Read every folder's manifest; return the contestants by name, in order."""
    found = (
        contestant
        for path in sorted(contestants.glob("*/contestant.toml"))
        for contestant in parse_manifest(read_document(path), folder=path.parent)
    )
    return {contestant.name: contestant for contestant in found}


def source_files(folder: Path) -> Mapping[str, Path]:
    """Return a folder's files by relative path, in order, without build products."""
    if folder.is_file():
        return {".": folder}
    return {
        str(path.relative_to(folder)): path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not BUILD_PRODUCTS.intersection(path.relative_to(folder).parts)
    }


def content_digest(folders: Mapping[str, Path]) -> str:
    """Return the SHA-256 of folders' names, file names, modes and contents, in hex."""
    digest = hashlib.sha256()
    for name, folder in folders.items():
        for relative, path in source_files(folder).items():
            content = path.read_bytes()
            is_executable = path.stat().st_mode & 0o100
            head = f"{name}/{relative}\0{is_executable}\0{len(content)}\0"
            digest.update(os.fsencode(head) + content)
    return digest.hexdigest()
