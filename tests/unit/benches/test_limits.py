"""Requirements of a crowd, for a given machine."""

from compare.limits import PLAIN_BYTES, ConnectionResources

MACHINE = ConnectionResources(
    descriptors=20_000, files=2_500_000, ports=28_232, memory_bytes=24 * 2**30
)


def machine(**changed):
    parts = {name: getattr(MACHINE, name) for name in ConnectionResources.__slots__}
    return ConnectionResources(**parts | changed)


def test_a_million_connections_fill_53_tables_of_20_000():
    assert MACHINE.threads(1_000_000) == 53
    assert MACHINE.threads(19_000) == 1
    assert MACHINE.threads(19_001) == 2


def test_each_source_address_has_28_000_ports():
    assert MACHINE.sources(9_333) == ["127.0.0.2"]
    assert MACHINE.sources(9_334) == ["127.0.0.2", "127.0.0.3"]
    assert len(MACHINE.sources(1_000_000)) == 108


def test_with_sufficient_limits_nothing_is_missing():
    assert MACHINE.shortage(1_000_000, PLAIN_BYTES) is None


def test_each_insufficient_limit_is_named_with_its_remedy():
    small = machine(descriptors=1024, files=100_000, ports=400, memory_bytes=8 * 2**30)
    assert small.shortage(1_000_000, PLAIN_BYTES) == (
        "15.3 GiB of memory are needed, 8.0 available (MemAvailable); "
        "2,000,000 open files are needed, 100,000 allowed (sysctl fs.file-max); "
        "a limit of 2,000 open files is needed, 1,024 available (ulimit -Hn); "
        "464 ports are needed, 400 available (sysctl net.ipv4.ip_local_port_range)"
    )


def test_another_client_has_one_table_and_one_address():
    assert MACHINE.client_shortage(19_000) is None
    assert machine(ports=9_000).client_shortage(19_001) == (
        "a limit of 20,001 open files is needed, 20,000 available (ulimit -Hn); "
        "19,233 ports are needed, 9,000 available (sysctl net.ipv4.ip_local_port_range)"
    )


def test_the_limits_of_this_machine_can_be_read():
    this = ConnectionResources.this()
    assert min(this.descriptors, this.files, this.ports, this.memory_bytes) > 0
