// Latencies as counts of rounded nanoseconds: docs/contract.md, clause 7.5.

package autostrada.kit;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** How often each latency came. */
final class Latencies {
    private static final int THREE_DIGITS_END = 1000;

    private final Map<Long, Long> counts = new HashMap<>();

    /** Returns a latency with three significant digits, a half rounded up. */
    static long round(long latencyNs) {
        long unit = 1;
        while (latencyNs / unit >= THREE_DIGITS_END) {
            unit *= 10;
        }
        // The rest is rounded by itself, because a sum with the largest latency would overflow.
        return (latencyNs / unit + (latencyNs % unit + unit / 2) / unit) * unit;
    }

    /** Counts one; it must not be below 0. */
    void record(long latencyNs) {
        counts.merge(round(latencyNs), 1L, Long::sum);
    }

    /** Adds what another one has counted. */
    void merge(Latencies other) {
        other.counts.forEach((roundedNs, count) -> counts.merge(roundedNs, count, Long::sum));
    }

    /** Returns the counts by latency, for a line. */
    Map<Long, Long> sorted() {
        return new TreeMap<>(counts);
    }
}
