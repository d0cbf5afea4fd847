"""The roles of the two ends."""

from autostrada.stats.evidence import End, Evidence, Pacing

ENGINE = End(is_engine=True, cpu_cores=0.2, utilization=0.2)
LIBRARY = End(is_engine=False, cpu_cores=0.3, utilization=0.3)


def test_the_receiver_is_the_end_that_does_not_send():
    for sender, receiver in (("server", "client"), ("client", "server")):
        evidence = Evidence(
            server=ENGINE, client=LIBRARY, sender=sender, pacing=Pacing.CONTINUOUS
        )
        assert evidence.receiver == receiver
        assert (evidence.end("server"), evidence.end("client")) == (ENGINE, LIBRARY)
