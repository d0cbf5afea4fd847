"""Mutations of the instrument: each disables the detection of one kind of fault."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
MEASURE = "crates/autostrada-measure/src"
ENGINE = "crates/autostrada-engine/src"


@dataclass(frozen=True, kw_only=True, slots=True)
class Mutation:
    """A text that occurs once in a source file, and its replacement."""

    name: str
    file: str
    text: str
    replacement: str
    cases: tuple[str, ...]
    """Cases that must fail in every topology in which the engine measures."""

    @property
    def path(self) -> Path:
        """Path of the file in the repository."""
        return ROOT / self.file

    def apply(self, source: str) -> str:
        """Return the source text with the mutation applied."""
        assert source.count(self.text) == 1, f"{self.name}: {self.file} has changed"
        return source.replace(self.text, self.replacement)


MUTATIONS = (
    Mutation(
        name="response time from sent",
        file=f"{MEASURE}/recorder.rs",
        text="self.response_time_ns.record(echoed - due)?;",
        replacement="self.response_time_ns.record(echoed - sent)?;",
        cases=("pause-100ms",),
    ),
    Mutation(
        name="response time of nothing",
        file=f"{MEASURE}/recorder.rs",
        text="self.response_time_ns.record(echoed - due)?;",
        replacement="self.response_time_ns.record(0)?;",
        cases=("delay-20ms", "stall-100ms", "stall-closed", "pause-100ms"),
    ),
    Mutation(
        name="nothing is missing",
        file=f"{MEASURE}/sequence.rs",
        text="self.missing = self.missing.saturating_add(missing);",
        replacement="let _ = missing;",
        cases=("lose-echo", "lose-feed"),
    ),
    Mutation(
        name="nothing is repeated",
        file=f"{MEASURE}/sequence.rs",
        text="NumberClass::Duplicate => self.duplicates += 1,",
        replacement="NumberClass::Duplicate => {}",
        cases=("repeat-echo", "repeat-feed"),
    ),
    Mutation(
        name="nothing is out of order",
        file=f"{MEASURE}/sequence.rs",
        text="self.reordered += 1;",
        replacement="",
        cases=("swap-echo", "swap-feed"),
    ),
    Mutation(
        name="any content is right",
        file=f"{ENGINE}/client/workload/echo/exchange.rs",
        text="&& self.messages.is_expected(number, message);",
        replacement="&& (self.messages.is_expected(number, message) || now > 0);",
        cases=("corrupt-echo",),
    ),
    Mutation(
        name="nothing comes in bursts",
        file=f"{MEASURE}/regularity.rs",
        text="self.burst = if bursts { self.burst + 1 } else { 1 };",
        replacement="self.burst = u64::from(bursts).max(1);",
        cases=("burst-5",),
    ),
    Mutation(
        name="achieved is what was offered",
        file=f"{ENGINE}/client/workload/echo/mod.rs",
        text="achieved_rate_per_s: outcome.rate_per_s(counts.completed),",
        replacement="achieved_rate_per_s: outcome.rate_per_s(counts.sent),",
        cases=("rate-1234",),
    ),
    Mutation(
        name="what comes in the drain is achieved",
        file=f"{ENGINE}/client/workload/echo/counts.rs",
        text="if window.contains(&now) {",
        replacement="if now >= window.start {",
        cases=("rate-1234",),
    ),
    Mutation(
        name="a close is no failure",
        file=f"{ENGINE}/client/worker/closing.rs",
        text="End::Closed(code, reason) => failures.record(FailureKind::Close",
        replacement="End::Closed(code, reason) => autostrada_measure::Failures"
        "::default().record(FailureKind::Close",
        cases=("close-after-5",),
    ),
    Mutation(
        name="a reset is no failure",
        file=f"{ENGINE}/client/worker/closing.rs",
        text="End::Failed(kind, text) => failures.record(kind, now, || text),",
        replacement="End::Failed(kind, text) => autostrada_measure::Failures::default()"
        ".record(kind, now, || text),",
        cases=("abort-after-5",),
    ),
    Mutation(
        name="memory does not grow",
        file="crates/autostrada-observe/src/kernel/mod.rs",
        text="let resident_bytes = pages.saturating_mul(self.page_bytes);",
        replacement="let resident_bytes = (pages * self.page_bytes).min(4096);",
        cases=("grow-32KiB",),
    ),
    Mutation(
        name="half of the CPU time is missing",
        file="crates/autostrada-observe/src/kernel/mod.rs",
        text="let cpu_ns = cpu_ns(process.clock).map_err(missing_clock)?;",
        replacement="let cpu_ns = cpu_ns(process.clock).map_err(missing_clock)? / 2;",
        cases=("work-10ms",),
    ),
    Mutation(
        name="a tenth of the CPU time of slices is missing",
        file="src/autostrada/runner/turns.py",
        text="used_ns = {end: ns - cpu_ns[end] for",
        replacement="used_ns = {end: (ns - cpu_ns[end]) * 9 // 10 for",
        cases=("work-in-slices",),
    ),
    Mutation(
        name="pongs come at once",
        file=f"{ENGINE}/server/sending/pings.rs",
        text="            answered_ns: now,",
        replacement="            answered_ns: now - (now - self.started_ns) / 4,",
        cases=("push-two-rates", "push-bridge"),
    ),
    Mutation(
        name="pongs need not agree",
        file="src/autostrada/evidence/rate.py",
        text="deviation_ns = _deviation_ns(served, client_ended_ns)",
        replacement="deviation_ns = 0",
        cases=("push-late-pongs",),
    ),
)
