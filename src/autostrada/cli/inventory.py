"""``autostrada list``: list contestants and experiments."""

from autostrada.cli.options import Contestants


def inventory(contestants: Contestants = None) -> None:
    """
    List contestants and experiments.

    \b
    Example: autostrada list
    """  # noqa: D301
    from autostrada.contestants.inventory import print_inventory

    print_inventory(contestants)
