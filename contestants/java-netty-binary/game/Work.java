// Work of the same size at each event: docs/published.md.

package game;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** A computation that ends when the calling thread has used a fixed CPU time. */
public final class Work {
    /** Steps of the computation between two readings of the clock. */
    private static final int STEPS = 1024;

    private final long cpuNs;
    private final ThreadMXBean threads;
    /** The intermediate result: stored, so that the compiler does not remove the computation. */
    private long state = 1;

    /** Creates work of this CPU time in nanoseconds; 0 for none. */
    Work(long cpuNs) {
        this.cpuNs = cpuNs;
        // Loading it takes time and memory, which a server without work does not need.
        threads = cpuNs > 0 ? ManagementFactory.getThreadMXBean() : null;
    }

    /** Computes until this thread has used the CPU time. Several threads may call it. */
    public void perform() {
        if (cpuNs == 0) {
            return;
        }
        long until = threads.getCurrentThreadCpuTime() + cpuNs;
        long current = state;
        while (threads.getCurrentThreadCpuTime() < until) {
            // A xorshift generator, which is never 0.
            for (int step = 0; step < STEPS; step++) {
                current ^= current << 13;
                current ^= current >>> 7;
                current ^= current << 17;
            }
        }
        state = current;
    }
}
