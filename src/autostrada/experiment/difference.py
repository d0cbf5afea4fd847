"""Which points of an experiment are others in a run than in its file."""

from autostrada.experiment.experiment import Experiment
from autostrada.workloads.workload import Workload


def changed_points(experiment: Experiment, whole: Experiment) -> frozenset[str]:
    """
    Return the names of a run's points whose parameters are not those of its file.

    Which other points there are beside one does not matter. One that has as many
    connections as a search finds is another where the search is.
    """
    points, before = experiment.points(), whole.points()
    changed = {
        name
        for name, point in points.items()
        if name not in before or _parameters(point) != _parameters(before[name])
    }
    following = {name for name, point in points.items() if point.capacity_of in changed}
    return frozenset(changed | following)


def _parameters(point: Workload) -> Workload:
    """Return a point without what it would be in a quick run."""
    return point.model_copy(update={"quick": {}})
