// Latencies as counts of rounded nanoseconds: docs/contract.md, clause 7.5.

/** Rounds a BigInt to three significant digits; a half is rounded up. */
export function roundLatency(latencyNs) {
  const unit = 10n ** BigInt(Math.max(0, latencyNs.toString().length - 3));
  return ((latencyNs + unit / 2n) / unit) * unit;
}

/** Number of messages per rounded latency. */
export class Latencies {
  #counts = new Map();

  /** Counts one latency in nanoseconds, a BigInt that must not be negative. */
  record(latencyNs) {
    this.#add(roundLatency(latencyNs).toString(), 1);
  }

  /** Adds the counts of another object. */
  merge(other) {
    for (const [latencyNs, count] of other.#counts) this.#add(latencyNs, count);
  }

  /** Number of recorded latencies. */
  get total() {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Returns the counts by latency, as the value of a JSON line. */
  toJSON() {
    return Object.fromEntries(this.#counts);
  }

  #add(latencyNs, count) {
    this.#counts.set(latencyNs, (this.#counts.get(latencyNs) ?? 0) + count);
  }
}
