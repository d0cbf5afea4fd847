"""The host of the servers beside the published one and this machine, as a table."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from autostrada.experiment.publication import PublishedHost
from autostrada.report import number
from autostrada.report.results import Results

UNLIMITED = "as this machine"
OF_LOAD = "as a load that was measured in each round decides"


class HostRow(NamedTuple):
    """One property of three hosts, in words; ``""`` where it is not known."""

    name: str
    published: str
    server_host: str
    machine: str


def host_rows(results: Results) -> tuple[HostRow, ...]:
    """
    Return the properties of the published host, of the servers' host and of this one.

    The result is empty if nothing was published about a host, and no limits were set.
    """
    published = results.publication.host if results.publication else None
    if published is None and results.experiment.server_host is None:
        return ()
    points = results.points.values()
    is_of_load = any(point.host_source for point in points)
    return tuple(_rows(published, results.host, is_of_load=is_of_load))


def _rows(
    published: PublishedHost | None, host: Mapping[str, object], *, is_of_load: bool
) -> Iterator[HostRow]:
    theirs = published or PublishedHost()
    if theirs.name:
        yield HostRow("machine", theirs.name, "", str(host.get("cpu_model", "")))
    cores = "" if theirs.cores is None else str(theirs.cores)
    limited = OF_LOAD if is_of_load else _cores(host)
    yield HostRow("cores", cores, limited, str(host.get("cores", "")))
    memory = _size(host.get("memory_bytes"))
    yield HostRow("memory", _size(theirs.memory_bytes), _memory(host), memory)
    cipher = _rate(host.get("cipher_bytes_per_s"))
    yield HostRow(
        "AES-128-GCM", _rate(theirs.cipher_bytes_per_s), _cipher(host), cipher
    )
    if (share := host.get("server_host_loop_share")) is not None:
        speed = number.times(_number(share))
        yield HostRow("speed of a loop", "", speed, number.times(1.0))


def _cores(host: Mapping[str, object]) -> str:
    limits = []
    if (cores := host.get("server_host_cores")) is not None:
        limits.append(str(cores))
    if (share := host.get("server_host_cpu_share_max")) is not None:
        limits.append(f"at most {number.percent(_number(share))} of one in all")
    return ", ".join(limits) or UNLIMITED


def _memory(host: Mapping[str, object]) -> str:
    limit = _size(host.get("server_host_memory_bytes_max"))
    reached = _size(host.get("server_host_memory_bytes_reached"))
    if reached:
        limit += f" (a process was ended at {reached})"
    return limit or UNLIMITED


def _cipher(host: Mapping[str, object]) -> str:
    measured = _rate(host.get("server_host_cipher_bytes_per_s"))
    is_software = host.get("server_host_aes") == "software"
    if not measured:
        return UNLIMITED
    return f"{measured}, in software" if is_software else measured


def _size(value: object) -> str:
    return "" if value is None else number.size(_number(value))


def _rate(value: object) -> str:
    return "" if value is None else f"{number.size(_number(value))}/s"


def _number(value: object) -> float:
    assert isinstance(value, int | float), "the store has numbers for these"
    return float(value)
