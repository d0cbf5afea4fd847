// Latencies as counts of rounded nanoseconds: docs/contract.md, clause 7.5.

package autostrada.kit;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Number of messages per rounded latency. */
final class Latencies {
    private static final int THREE_DIGITS_END = 1000;

    private final Map<Long, Long> counts = new HashMap<>();

    /** Rounds to three significant digits; a half is rounded up. */
    static long round(long latencyNs) {
        long unit = 1;
        while (latencyNs / unit >= THREE_DIGITS_END) {
            unit *= 10;
        }
        // The remainder is rounded separately, because adding to the largest latencies would
        // overflow.
        return (latencyNs / unit + (latencyNs % unit + unit / 2) / unit) * unit;
    }

    /** Counts one latency in nanoseconds, which must not be negative. */
    void record(long latencyNs) {
        counts.merge(round(latencyNs), 1L, Long::sum);
    }

    /** Adds the counts of another object. */
    void merge(Latencies other) {
        other.counts.forEach((roundedNs, count) -> counts.merge(roundedNs, count, Long::sum));
    }

    /** Returns the counts by latency, in ascending order. */
    Map<Long, Long> sorted() {
        return new TreeMap<>(counts);
    }
}
