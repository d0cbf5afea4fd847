// Latencies as counts of rounded nanoseconds: docs/contract.md, clause 7.5.

/** Returns a BigInt with three significant digits, a half rounded up. */
export function roundLatency(latencyNs) {
  const unit = 10n ** BigInt(Math.max(0, latencyNs.toString().length - 3));
  return ((latencyNs + unit / 2n) / unit) * unit;
}

/** How often each latency came. */
export class Latencies {
  #counts = new Map();

  /** Counts one, a BigInt that must not be below 0. */
  record(latencyNs) {
    this.#add(roundLatency(latencyNs).toString(), 1);
  }

  /** Adds what another one has counted. */
  merge(other) {
    for (const [latencyNs, count] of other.#counts) this.#add(latencyNs, count);
  }

  /** How many were counted. */
  get total() {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The counts by latency, for a line. */
  toJSON() {
    return Object.fromEntries(this.#counts);
  }

  #add(latencyNs, count) {
    this.#counts.set(latencyNs, (this.#counts.get(latencyNs) ?? 0) + count);
  }
}
