"""What both ends are told of TLS: docs/contract.md, 8; docs/format.md."""

from autostrada.errors import EngineError
from autostrada.machine.certificates import Certificates
from autostrada.plan.workload import Bots, Feed
from autostrada.runner.trial.cast import Course


def certificates_of(course: Course) -> Certificates:
    """
    Return the certificates of a run.

    Raises:
        EngineError: none were made.
    """
    if course.certificates is None:
        raise EngineError("a workload is over TLS, and the run has no certificates")
    return course.certificates


def tls_of_server(workload: Feed | Bots, course: Course) -> dict[str, object]:
    """Return what the engine's plan says of TLS as a server; nothing without it."""
    if not workload.tls:
        return {}
    made = certificates_of(course)
    files = {
        "certificate_file": str(made.certificate_file),
        "key_file": str(made.key_file),
    }
    return {"tls": files}


def tls_variables(workload: Feed | Bots, course: Course) -> dict[str, str]:
    """Return what a contestant's environment says of TLS as a server."""
    if not workload.tls:
        return {}
    made = certificates_of(course)
    return {"TLS_CERT": str(made.certificate_file), "TLS_KEY": str(made.key_file)}


def tls_of_client(workload: Feed | Bots, course: Course) -> dict[str, object]:
    """Return what the engine's plan says of TLS as a client; nothing without it."""
    if not workload.tls:
        return {}
    trusted: dict[str, object] = {"ca_file": str(certificates_of(course).ca_file)}
    if isinstance(workload, Feed) and workload.cipher_suite is not None:
        trusted["cipher_suite"] = workload.cipher_suite
    return {"tls": trusted}
