// Counts a client's echoes and prints its result line: docs/contract.md, section 5.

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
 * Counts the echoes of all connections of a client and prints the result line.
 *
 * <p>Call {@code opened} for each connection, {@code answered} on the returned object for each
 * answer, {@code closed} for each connection after its exchange is over, and {@code finish} to wait
 * until all are closed. Call {@code fail}, from any thread, if a connection cannot be opened or
 * ends early.
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
    // Start of the window, in nanoseconds; NOT_YET until the last connection is open.
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

    /** Creates the exchanger that the environment variables describe. */
    public static Exchanger fromEnvironment() {
        // On Linux, nanoTime() reads CLOCK_MONOTONIC.
        return new Exchanger(Variables.readOrExit(EchoSettings::read), System::nanoTime, Line::print);
    }

    /** Registers an open connection and returns its counts. Send the first message after this call. */
    public synchronized Exchange opened() {
        Exchange exchange = new Exchange();
        opened.add(exchange);
        if (opened.size() == connections) {
            beginsNs = clock.getAsLong() + warmUpNs;
        }
        return exchange;
    }

    /** Registers that a connection was closed after its exchange. */
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

    /** Exits with a one-line reason why the exchange is impossible. */
    public void fail(Throwable error) {
        Exit.with(1, "cannot exchange with " + url + ": " + Exit.reason(error));
    }

    /** Counts the echoes of one connection. Only one thread at a time may count. */
    public final class Exchange {
        private long echoed;
        private long wrong;
        private volatile boolean isOver;

        private Exchange() {}

        /** Counts one answer. Returns true to send the next message, false to close the connection. */
        public boolean answered(String text) {
            return count(text.equals(payload));
        }

        /** Counts a binary answer, which is always wrong. */
        public boolean answered(ByteBuffer binary) {
            return count(false);
        }

        /** Returns whether the exchange is over, so that the connection closes. */
        public boolean isOver() {
            return isOver;
        }

        private boolean count(boolean isRight) {
            // Reading the clock is cheap compared with an echo.
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
