"""Samples of several processes of one end, aggregated, with made-up values."""

from dataclasses import replace

from tests.unit.blank import blank

from autostrada.evidence.aggregation import aggregate_by_end
from autostrada.store.record import CoreSample, Observation, ProcessSample, SocketSample

PROCESS = blank(
    ProcessSample,
    0,
    process="client",
    cpu_ns=10,
    resident_bytes=100,
    proportional_bytes=50,
    peak_resident_bytes=120,
    threads=2,
    files=7,
)
SOCKETS = blank(
    SocketSample,
    0,
    process="client",
    connections=2,
    send_queue_bytes=30,
    send_queue_bytes_max=20,
    sent_bytes=1000,
    rtt_ns_median=40,
)


def observe(*processes, sockets=()):
    return aggregate_by_end(
        Observation(process_samples=processes, socket_samples=sockets)
    )


def test_one_process_per_end_is_unchanged():
    server = replace(PROCESS, process="server", cpu_ns=99)
    assert set(observe(PROCESS, server).process_samples) == {PROCESS, server}


def test_processes_of_one_end_are_added_sample_by_sample():
    second = replace(PROCESS, process="client 2", cpu_ns=5, proportional_bytes=None)
    later = replace(PROCESS, since_start_ns=7, cpu_ns=20)
    samples = PROCESS, second, later, replace(second, since_start_ns=7)
    first, last = observe(*samples).process_samples
    assert (first.process, first.cpu_ns, first.resident_bytes) == ("client", 15, 200)
    # A value that is unknown for one process is unknown for both.
    assert first.proportional_bytes is None
    assert (last.since_start_ns, last.cpu_ns) == (7, 25)


def test_an_ended_process_keeps_its_counters_and_has_no_memory():
    second = replace(PROCESS, process="client 2", since_start_ns=0)
    later = replace(PROCESS, since_start_ns=7)
    _, last = observe(PROCESS, second, later).process_samples
    assert (last.cpu_ns, last.peak_resident_bytes) == (20, 240)
    assert (last.resident_bytes, last.threads, last.files) == (100, 2, 7)


def test_no_sample_is_made_up_for_an_ended_process():
    server = replace(PROCESS, process="server", since_start_ns=7)
    assert observe(PROCESS, server).process_samples == (PROCESS, server)


def test_the_largest_queue_of_sockets_is_not_added():
    second = replace(SOCKETS, process="client 2", send_queue_bytes_max=25)
    (both,) = observe(sockets=(SOCKETS, second)).socket_samples
    assert (both.connections, both.send_queue_bytes) == (4, 60)
    assert (both.send_queue_bytes_max, both.rtt_ns_median) == (25, 40)
    assert both.sent_bytes == 2000


def test_the_machine_is_not_a_process():
    core = blank(CoreSample, 1)
    assert aggregate_by_end(Observation(core_samples=(core,))).core_samples == (core,)
