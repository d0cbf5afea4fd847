// Counts the echoes of a client and prints its line: docs/contract.md, section 5.

package autostrada.kit;

import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A client's echoes, and its line.
 *
 * <p>Call {@code opened} for each connection, {@code answered} of what it returns for each answer,
 * {@code closed} for each connection that is to close, and {@code finish} to wait for the end
 * of all; or {@code fail}, from any thread, when one cannot be opened or ends early.
 */
public final class Exchanger {
    private static final long NOT_YET = Long.MIN_VALUE;

    public final URI url;
    public final int connections;
    public final String payload;

    private final long warmUpNs;
    private final long windowNs;
    private final LongSupplier clock;
    private final Consumer<String> print;
    private final List<Exchange> opened = new ArrayList<>();
    private final CountDownLatch left;
    // When the window begins; not before the last connection is open.
    private volatile long beginsNs = NOT_YET;

    Exchanger(EchoSettings settings, LongSupplier clock, Consumer<String> print) {
        url = settings.url();
        connections = settings.connections();
        payload = settings.payload();
        warmUpNs = settings.warmUpNs();
        windowNs = settings.windowNs();
        left = new CountDownLatch(connections);
        this.clock = clock;
        this.print = print;
    }

    /** Makes the exchanger that the environment asks for. */
    public static Exchanger fromEnvironment() {
        // nanoTime() is CLOCK_MONOTONIC in the JVMs of Linux.
        return new Exchanger(Variables.readOrExit(EchoSettings::read), System::nanoTime, Line::print);
    }

    /** Notes that a connection is open, and returns what counts its answers; it is to send now. */
    public synchronized Exchange opened() {
        Exchange exchange = new Exchange();
        opened.add(exchange);
        if (opened.size() == connections) {
            beginsNs = clock.getAsLong() + warmUpNs;
        }
        return exchange;
    }

    /** Notes that a connection is closed, as it was to be. */
    public void closed() {
        left.countDown();
    }

    /** Waits until all connections are closed, and prints the result. */
    public void finish() throws InterruptedException {
        left.await();
        printResult();
    }

    synchronized void printResult() {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("event", "result");
        result.put("connections", opened.size());
        result.put("echoed", opened.stream().mapToLong(exchange -> exchange.echoed).sum());
        result.put("wrong", opened.stream().mapToLong(exchange -> exchange.wrong).sum());
        result.put("window_ns", windowNs);
        print.accept(Line.json(result));
    }

    /** Exits with the reason, in one line, why there is no exchange. */
    public void fail(Throwable error) {
        Exit.with(1, "cannot exchange with " + url + ": " + Exit.reason(error));
    }

    /** What has come back on one connection. One thread at a time counts. */
    public final class Exchange {
        private long echoed;
        private long wrong;
        private volatile boolean isOver;

        private Exchange() {}

        /** Counts one answer; returns true to send again, false to close the connection. */
        public boolean answered(String text) {
            return count(text.equals(payload));
        }

        /** Counts a binary answer, which is wrong. */
        public boolean answered(ByteBuffer binary) {
            return count(false);
        }

        /** Whether the connection is to close. */
        public boolean isOver() {
            return isOver;
        }

        private boolean count(boolean isRight) {
            // Asking the clock costs little beside an echo.
            long nowNs = clock.getAsLong();
            boolean hasBegun = beginsNs != NOT_YET;
            isOver = hasBegun && nowNs - beginsNs >= windowNs;
            if (!isRight) {
                wrong += 1;
            } else if (hasBegun && nowNs >= beginsNs && !isOver) {
                echoed += 1;
            }
            return !isOver;
        }
    }
}
