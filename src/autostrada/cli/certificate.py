"""``autostrada certificate``: a local CA and a server certificate."""

from pathlib import Path
from typing import Annotated

from autostrada.cli.options import argument
from autostrada.cli.output import print_line


def certificate(
    folder: Annotated[
        Path, argument("Folder for the files; created if absent.", "FOLDER")
    ],
) -> None:
    """
    Create a local CA and a server certificate.

    \b
    Example: autostrada certificate results/tls
    """  # noqa: D301
    from autostrada.machine.certificates import make_certificates

    made = make_certificates(folder)
    print_line(f"server certificate: {made.certificate_file}, key: {made.key_file}")
    print_line(f"CA that clients trust: {made.ca_file}")
