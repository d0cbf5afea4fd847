"""Sentences that answer the question of an experiment, with places for its metrics."""

from string import Formatter
from typing import Self

from pydantic import Field, model_validator

from autostrada.experiment.cell_name import CellName, MetricName
from autostrada.experiment.document import Document


class AnswerMetric(Document):
    """One metric of an answer: of one cell, or compared with that of another."""

    metric: MetricName
    of: CellName
    to: CellName | None = None
    """The cell that it is compared with; ``None`` for the metric itself."""

    words: tuple[str, str] | None = None
    """
    Words for a larger and a smaller metric, such as ``more`` and ``fewer``.

    With words, a comparison is written as a difference (``27% fewer``), otherwise as a
    ratio (``0.73×``).
    """

    @model_validator(mode="after")
    def _has_a_comparison(self) -> Self:
        if self.words and self.to is None:
            raise ValueError("words need a cell in to")
        return self


class Answer(Document):
    """
    A sentence with a place for each metric: ``{name}``.

    The sentence must be correct for any value, because it is written before the run.
    """

    text: str
    metrics: dict[str, AnswerMetric] = Field(min_length=1)

    @model_validator(mode="after")
    def _has_all_places(self) -> Self:
        try:
            places = {name for _, name, _, _ in Formatter().parse(self.text) if name}
        except ValueError as error:
            raise ValueError(f"text: {error}") from error
        if different := places ^ self.metrics.keys():
            raise ValueError(
                f"{sorted(different)[0]!r} is either not in the text or not in metrics"
            )
        return self

    @property
    def cells(self) -> tuple[CellName, ...]:
        """The names of all cells of the answer."""
        return tuple(
            name
            for metric in self.metrics.values()
            for name in (metric.of, metric.to)
            if name is not None
        )
