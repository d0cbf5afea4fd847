"""``autostrada calibrate``: check that the engine reports injected faults exactly."""

from pathlib import Path
from typing import Annotated

import typer

from autostrada.cli.options import DEFAULT_STORE, Store, option


def calibrate(
    only: Annotated[
        list[str] | None, option("Only this fault case (repeatable).", "NAME", "all")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer messages per case.")
    ] = False,
    verdicts: Annotated[
        bool,
        typer.Option(
            "--verdicts",
            help="Only check verdicts, by 20 trials for each known bottleneck.",
        ),
    ] = False,
    engine: Annotated[
        Path | None, option("Calibrate this engine.", "FILE", "the installed")
    ] = None,
    store: Store = DEFAULT_STORE,
) -> None:
    """
    Check that the engine reports injected faults.

    Faults of known size are injected, and the engine must report exactly these.

    \b
    Example: autostrada calibrate --quick
    """  # noqa: D301
    from autostrada.calibration.command import calibrate

    status = calibrate(
        only or (), engine, store, is_quick=quick, is_of_verdicts=verdicts
    )
    raise typer.Exit(status)
