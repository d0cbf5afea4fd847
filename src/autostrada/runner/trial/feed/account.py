"""What is known of a feed that is over, put together as a measurement."""

from collections.abc import Iterator
from dataclasses import dataclass

from autostrada.runner.evidence.ends import Part, end_evidence, total_seen
from autostrada.runner.evidence.joined import joined, process_name
from autostrada.runner.trial.cast import Cast, Course
from autostrada.runner.trial.feed.delivery import Delivery
from autostrada.runner.trial.feed.figures import (
    feed_figures,
    opening_figures,
    seen_figures,
)
from autostrada.runner.trial.feed.steady import hold_of, steady_figures
from autostrada.runner.trial.push import whole_series
from autostrada.stats.evidence import EndName, Pacing
from autostrada.stats.steadiness import unsteadiness
from autostrada.store import record


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """All that is known of it, from both ends and from outside."""

    course: Course
    cast: Cast
    delivery: Delivery
    begun_ns: int
    """When the clients were told to begin."""

    observation: record.Observation

    def measurement(self) -> record.Measurement:
        """
        Make a measurement of it.

        Raises:
            ContestantError: what one end says contradicts itself, or the other.
        """
        delivery = self.delivery
        delivery.check()
        window_ns = delivery.window_ns
        seen = joined(self.observation)
        client, server = self._end("client", seen), self._end("server", seen)
        hold = hold_of(delivery, seen)
        limits = [
            each.engine.generator_limited for each in delivery.delivered if each.engine
        ]
        return record.Measurement(
            messages=delivery.received_messages,
            payload_bytes=sum(each.payload_bytes for each in delivery.delivered),
            duration_ns=window_ns,
            server_busy_share=server.cpu_cores,
            client_busy_share=client.cpu_cores,
            pacing=Pacing.CONTINUOUS if delivery.is_continuous else Pacing.OPEN_LOOP,
            achieved_share=delivery.achieved_share,
            engine_limit="; ".join(dict.fromkeys(each for each in limits if each)),
            faults="; ".join(faults(delivery)),
            unwell="; ".join(unsteadiness(hold)) if hold else "",
            processes=tuple(total for total in self._totals(seen) if total),
            ends=(client, server),
            seconds=tuple(self._seconds()),
            figures=(
                *feed_figures(delivery),
                *opening_figures(delivery, self.begun_ns),
                *seen_figures(delivery, seen),
                *steady_figures(hold),
            ),
            buckets=tuple(
                record.Bucket(
                    process="client",
                    figure="latency_ns",
                    value_ns=value_ns,
                    count=count,
                )
                for value_ns, count in delivery.latencies()
            ),
        )

    def _end(self, name: EndName, seen: record.Observation) -> record.EndEvidence:
        host = self.course.host
        is_server = name == "server"
        busy_shares = [
            max(each.engine.busy_shares, default=0.0)
            for each in self.delivery.delivered
            if each.engine and not is_server
        ]
        part = Part(
            process=name,
            is_engine=(self.cast.server if is_server else self.cast.client) is None,
            cpus=host.server_cpus if is_server else host.client_cpus,
            busy_share=min(1.0, sum(busy_shares)) if busy_shares else None,
        )
        window_ns = self.delivery.window_ns
        return end_evidence(part, total_seen(name, seen, window_ns), seen, window_ns)

    def _totals(self, seen: record.Observation) -> Iterator[record.ProcessTotal | None]:
        """Yield what each end used as a whole, and each further process of it."""
        workload, window_ns = self.delivery.workload, self.delivery.window_ns
        for end, count in (
            ("client", workload.processes),
            ("server", workload.workers),
        ):
            yield total_seen(end, seen, window_ns)
            for index in range(1, count):
                name = process_name(end, index)
                yield total_seen(name, self.observation, window_ns)

    def _seconds(self) -> Iterator[record.Second]:
        for index, came in enumerate(self.delivery.delivered):
            name = process_name("client", index)
            yield from whole_series(
                name, came.seconds, came.messages, came.payload_bytes
            )
        for index, went in enumerate(self.delivery.handed):
            name = process_name("server", index)
            yield from whole_series(
                name, went.seconds, went.messages, went.payload_bytes
            )


def faults(delivery: Delivery) -> Iterator[str]:
    """Say what broke, in words."""
    for count, one, several in (
        (delivery.counted("missing"), "message is missing", "messages are missing"),
        (delivery.counted("repeats"), "message came twice", "messages came twice"),
        (
            delivery.counted("disorders"),
            "message came out of order",
            "messages came out of order",
        ),
        (
            delivery.wrong_messages,
            "message was not what it should be",
            "messages were not what they should be",
        ),
        (
            delivery.disconnected_clients,
            "connection ended before the feed",
            "connections ended before the feed",
        ),
        (
            delivery.cut_off_clients,
            "client was still receiving when its time was over",
            "clients were still receiving when their time was over",
        ),
    ):
        if count > 0:
            yield f"{count:,} {one if count == 1 else several}"
