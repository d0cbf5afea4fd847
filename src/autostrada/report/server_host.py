"""The host of the servers beside the published one and this machine, as a table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autostrada.experiment.publication import PublishedHost
from autostrada.report import number
from autostrada.report.results import Results

UNLIMITED = "as this machine"


@dataclass(frozen=True, kw_only=True, slots=True)
class HostRow:
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
    return tuple(_rows(published, results.host))


def _rows(
    published: PublishedHost | None, host: Mapping[str, object]
) -> Iterator[HostRow]:
    theirs = published or PublishedHost()
    machine_cipher = host.get("cipher_bytes_per_s")
    if theirs.name:
        yield HostRow(
            name="machine",
            published=theirs.name,
            server_host="",
            machine=str(host.get("cpu_model", "")),
        )
    yield HostRow(
        name="cores",
        published="" if theirs.cores is None else str(theirs.cores),
        server_host=_cores(host),
        machine=str(host.get("cores", "")),
    )
    yield HostRow(
        name="memory",
        published=_size(theirs.memory_bytes),
        server_host=_memory(host),
        machine=_size(host.get("memory_bytes")),
    )
    yield HostRow(
        name="AES-128-GCM",
        published=_rate(theirs.cipher_bytes_per_s),
        server_host=_cipher(host),
        machine=_rate(machine_cipher),
    )
    if (share := host.get("server_host_loop_share")) is not None:
        yield HostRow(
            name="speed of a loop",
            published="",
            server_host=number.times(_number(share)),
            machine=number.times(1.0),
        )


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
