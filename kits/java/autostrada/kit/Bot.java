// One connection's events: docs/contract.md, section 6.

package autostrada.kit;

import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One connection's events. Timers and the library may be two threads. */
public final class Bot {
    private static final int NUMBER_DIGITS = 20;
    private static final long NONE = -1;

    private final Bots bots;
    private final int connection;
    private final ScheduledExecutorService timers;
    private final Consumer<String> send;
    private final Runnable close;
    private final Latencies latencies = new Latencies();
    private long wrong;
    private long sentInWindow;
    // When all connections were open; nothing was sent before.
    private long startNs;
    private long sent;
    // The number of the first event that is not answered.
    private long unanswered;
    private volatile boolean isOver;

    Bot(Bots bots, int connection, ScheduledExecutorService timers, Consumer<String> send, Runnable close) {
        this.bots = bots;
        this.connection = connection;
        this.timers = timers;
        this.send = send;
        this.close = close;
    }

    /** Returns when an event is due, of a connection of so many. */
    static long dueNs(long startNs, long everyNs, int connection, int connections, long event) {
        return startNs + connection * everyNs / connections + event * everyNs;
    }

    /** Returns the text of an event. */
    static String stamp(long event, long dueNs, String payload) {
        return digits(event) + " " + digits(dueNs) + " " + payload;
    }

    private static String digits(long number) {
        String text = Long.toString(number);
        return "0".repeat(NUMBER_DIGITS - text.length()) + text;
    }

    /** Judges an answer. */
    public void answered(String text) {
        judge(bots.clock.getAsLong(), text);
    }

    /** Judges a binary answer, which is wrong. */
    public void answered(ByteBuffer binary) {
        judge(bots.clock.getAsLong(), "");
    }

    /** Whether the connection was told to close. */
    public boolean isOver() {
        return isOver;
    }

    synchronized Latencies latencies() {
        return latencies;
    }

    synchronized long wrong() {
        return wrong;
    }

    synchronized long sentInWindow() {
        return sentInWindow;
    }

    /** All connections are open. */
    synchronized void begin(long startNs) {
        this.startNs = startNs;
        wakeAt(dueNs(sent), this::sendDue);
    }

    private synchronized void judge(long nowNs, String answer) {
        long event = numberOf(answer);
        boolean isExpected = unanswered <= event && event < sent;
        if (!isExpected || !answer.equals(stamp(event, dueNs(event), bots.payload))) {
            wrong += 1;
            return;
        }
        unanswered = event + 1;
        if (isCounted(event)) {
            latencies.record(nowNs - dueNs(event));
        }
        if (hasSentAll() && unanswered == sent) {
            end();
        }
    }

    private static long numberOf(String answer) {
        try {
            return Long.parseLong(answer, 0, Math.min(NUMBER_DIGITS, answer.length()), 10);
        } catch (NumberFormatException error) {
            return NONE;
        }
    }

    private synchronized void sendDue() {
        long nowNs = bots.clock.getAsLong();
        while (!hasSentAll() && dueNs(sent) <= nowNs) {
            long event = sent;
            sentInWindow += isCounted(event) ? 1 : 0;
            sent += 1;
            send.accept(stamp(event, dueNs(event), bots.payload));
        }
        if (!hasSentAll()) {
            wakeAt(dueNs(sent), this::sendDue);
        } else if (unanswered == sent) {
            end();
        } else {
            wakeAt(bots.windowEndNs(startNs) + bots.drainNs, this::end);
        }
    }

    private synchronized void end() {
        if (!isOver) {
            isOver = true;
            close.run();
        }
    }

    private void wakeAt(long instantNs, Runnable then) {
        Runnable work = () -> {
            try {
                then.run();
            } catch (RuntimeException error) {
                // A timer would keep it for itself.
                bots.fail(error);
            }
        };
        long leftNs = Math.max(0, instantNs - bots.clock.getAsLong());
        try {
            timers.schedule(work, leftNs, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException error) {
            bots.fail(error);
        }
    }

    private boolean hasSentAll() {
        return dueNs(sent) >= bots.windowEndNs(startNs);
    }

    private boolean isCounted(long event) {
        long due = dueNs(event);
        return bots.windowStartNs(startNs) <= due && due < bots.windowEndNs(startNs);
    }

    private long dueNs(long event) {
        return dueNs(startNs, bots.everyNs, connection, bots.connections, event);
    }
}
