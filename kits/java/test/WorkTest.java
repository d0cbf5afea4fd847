// Tests of the work at each event.

package autostrada.kit;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

final class WorkTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private WorkTest() {}

    static void theThreadUsesAtLeastTheCpuTimeEachTime() {
        Work work = new Work(300_000);
        for (int time = 0; time < 3; time++) {
            long before = THREADS.getCurrentThreadCpuTime();
            work.perform();
            long usedNs = THREADS.getCurrentThreadCpuTime() - before;
            Check.equal(usedNs + " ns", true, usedNs >= 300_000);
        }
    }

    static void noWorkNeedsNoClock() {
        new Work(0).perform();
    }
}
