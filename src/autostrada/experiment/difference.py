"""Determines the points of an experiment whose parameters a run has changed."""

from autostrada.experiment.experiment import Experiment
from autostrada.workloads.workload import Workload


def changed_points(experiment: Experiment, whole: Experiment) -> frozenset[str]:
    """
    Return the names of the points whose parameters differ from those in ``whole``.

    ``whole`` is the experiment of the file. Points that are only added or removed
    elsewhere do not matter.
    """
    points, before = experiment.points(), whole.points()
    return frozenset(
        name
        for name, point in points.items()
        if name not in before or _parameters(point) != _parameters(before[name])
    )


def _parameters(point: Workload) -> Workload:
    """Return a point without its parameters for quick runs."""
    return point.model_copy(update={"quick": {}})
