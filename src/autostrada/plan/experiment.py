"""An experiment: its contestants, its workloads, and what was published of it."""

import tomllib
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from autostrada.errors import UsageError


class Document(BaseModel):
    """A frozen document that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Workload(Document):
    """What the server sends, and how: a value, never a mode of its own."""

    name: str
    kind: Literal["push"]
    messages: int = Field(gt=0)
    payload_text: str
    frames_per_write: Literal["many", "one"]

    def shortened(self, share: float) -> Self:
        """Return the same with a share of its messages, in (0, 1]; at least one."""
        return self.model_copy(
            update={"messages": max(1, round(self.messages * share))}
        )


class Published(Document):
    """Figures that somebody else published, by contestant, as durations."""

    title: str
    origin: str
    workload: str
    """Name of the workload that works as theirs did."""
    messages: int = Field(gt=0)
    milliseconds: dict[str, float]
    """By contestant; a contestant that does not exist here may be named."""


class Experiment(Document):
    """One file of ``experiments/``."""

    title: str
    question: str
    role: Literal["client"]
    repetitions: int = Field(gt=0)
    warm_ups: int = Field(ge=0)
    limit_s: float = Field(gt=0)
    congestion_control: str | None = None
    contestants: tuple[str, ...] = Field(min_length=1)
    workload: tuple[Workload, ...] = Field(min_length=1)
    published: tuple[Published, ...] = ()


def parse_experiment(text: str, *, origin: str) -> Experiment:
    """
    Read an experiment from TOML; ``origin`` is the file's name, for messages.

    Raises:
        UsageError: it is no TOML, or a key is missing, unknown or out of range.
    """
    try:
        experiment = Experiment.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{origin}: {error}") from error
    except ValidationError as error:
        raise UsageError(f"{origin}: {first_fault(error)}") from error
    names = [workload.name for workload in experiment.workload]
    for published in experiment.published:
        if published.workload not in names:
            raise UsageError(
                f"{origin}: published: workload {published.workload!r} is not one of "
                f"{', '.join(names)}"
            )
    if len(set(names)) < len(names):
        raise UsageError(f"{origin}: two workloads have the same name")
    return experiment


def read_experiment(path: Path) -> tuple[Experiment, str]:
    """Read an experiment's file; return it and its text."""
    text = read_document(path)
    return parse_experiment(text, origin=str(path)), text


def read_document(path: Path) -> str:
    """
    Return the text of a document that a user may have written.

    Raises:
        UsageError: it cannot be read, or is no text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no UTF-8 text: {error.reason}") from error


def first_fault(error: ValidationError) -> str:
    """Say in one line where the first fault of a document is, and what it is."""
    fault = error.errors()[0]
    place = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        return f"unknown key {place!r}"
    return f"{place}: {fault['msg'][:1].lower()}{fault['msg'][1:]}"
