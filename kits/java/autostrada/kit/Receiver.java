// Adds up the messages that a client receives and prints its lines: docs/contract.md, sections 3, 4
// and 7.

package autostrada.kit;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Adds up the messages of all connections of a client and prints the lines.
 *
 * <p>Call {@code opened} for each connection, {@code received} on the returned object for each
 * message, {@code closed} for each connection that has ended, and {@code finish} to wait until all
 * have ended. Call {@code fail}, from any thread, if a connection cannot be opened.
 */
public final class Receiver {
    private static final long SECOND_NS = 1_000_000_000;

    public final URI url;
    public final int connections;

    private final FeedFormat feed;
    private final long expected;
    private final LongSupplier clock;
    private final Function<Map<String, Object>, String> toLine;
    private final Consumer<String> print;
    private final List<Connection> opened = new ArrayList<>();
    private final CountDownLatch isOpen = new CountDownLatch(1);
    private final CountDownLatch left;
    private boolean isFinished;
    private long openedNs;
    // State at the last printed line.
    private long seconds;
    private long messages;
    private long bytes;

    Receiver(
            Settings settings,
            Function<Map<String, Object>, String> toLine,
            LongSupplier clock,
            Consumer<String> print) {
        url = settings.url();
        connections = settings.connections();
        feed = settings.feed();
        expected = settings.messages();
        left = new CountDownLatch(connections);
        this.toLine = toLine;
        this.clock = clock;
        this.print = print;
    }

    /** Creates the receiver that the environment variables describe and starts its reporter. */
    public static Receiver fromEnvironment() {
        Settings settings = Variables.readOrExit(Settings::read);
        // A program runs in its own folder: docs/contract.md, clause 1.3.
        String name = Path.of("").toAbsolutePath().getFileName().toString();
        boolean isJson = settings.lines().equals("json");
        // On Linux, nanoTime() reads CLOCK_MONOTONIC.
        Receiver receiver = new Receiver(
                settings,
                isJson ? Line::json : event -> toAutorouteLine(name, event),
                System::nanoTime,
                Line::print);
        Thread reporter = new Thread(receiver::report);
        reporter.setDaemon(true);
        reporter.start();
        return receiver;
    }

    /** Registers an open connection and returns its counts. */
    public synchronized Connection opened() {
        Connection connection = feed == null ? new Connection(this) : new CheckedConnection(this, feed);
        if (opened.isEmpty()) {
            openedNs = clock.getAsLong();
        }
        opened.add(connection);
        isOpen.countDown();
        return connection;
    }

    /** Registers that a connection has ended. */
    public void closed() {
        left.countDown();
    }

    /** Waits until all connections have ended, and prints the result. */
    public void finish() throws InterruptedException {
        left.await();
        printResult();
    }

    /** Exits with a one-line reason why nothing can be received. */
    public void fail(Throwable error) {
        Exit.with(1, "cannot receive from " + url + ": " + Exit.reason(error));
    }

    /**
     * Prints a line for each second that has ended.
     *
     * <p>Returns the nanoseconds until the next second ends, or nothing once all messages have
     * arrived: no second is printed after the last message.
     */
    synchronized OptionalLong tick() {
        if (isFinished) {
            return OptionalLong.empty();
        }
        long nowNs = clock.getAsLong();
        OptionalLong receivedNs = allReceivedNs();
        printSeconds(receivedNs.orElse(nowNs));
        return receivedNs.isPresent() ? OptionalLong.empty() : OptionalLong.of(nextEndNs() - nowNs);
    }

    /** Prints the result. If messages are missing, received_ns is the time of this call. */
    synchronized void printResult() {
        long receivedNs = allReceivedNs().orElseGet(clock);
        printSeconds(receivedNs);
        long allMessages = countMessages();
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("event", "result");
        result.put("connections", opened.size());
        result.put("messages", allMessages);
        if (feed != null) {
            result.put("bytes", countBytes());
        }
        result.put("opened_ns", openedNs);
        result.put("received_ns", receivedNs);
        if (feed != null) {
            sumUp(result);
        }
        print.accept(toLine.apply(result));
        isFinished = true;
        if (expected != Settings.UNLIMITED && allMessages < expected * connections) {
            System.err.println("received " + allMessages + " of " + expected * connections + " messages");
        }
    }

    private void report() {
        try {
            isOpen.await();
            // Code is compiled when it runs first: do that before messages arrive.
            TimeUnit.NANOSECONDS.sleep(SECOND_NS);
            for (OptionalLong leftNs = tick(); leftNs.isPresent(); leftNs = tick()) {
                TimeUnit.NANOSECONDS.sleep(leftNs.getAsLong());
            }
        } catch (InterruptedException error) {
            throw new AssertionError("nobody interrupts the reporter", error);
        }
    }

    /** Returns the time of the last message, or nothing while messages are missing. */
    private OptionalLong allReceivedNs() {
        if (opened.size() < connections) {
            return OptionalLong.empty();
        }
        long latestNs = Long.MIN_VALUE;
        for (Connection connection : opened) {
            if (!connection.isComplete()) {
                return OptionalLong.empty();
            }
            latestNs = Math.max(latestNs, connection.receivedNs);
        }
        return OptionalLong.of(latestNs);
    }

    private long nextEndNs() {
        return openedNs + (seconds + 1) * SECOND_NS;
    }

    private void printSeconds(long untilNs) {
        // After a stall of several seconds, the first of them is credited with all messages: their
        // times of arrival are unknown.
        while (untilNs >= nextEndNs()) {
            long allMessages = countMessages();
            Map<String, Object> second = new LinkedHashMap<>();
            second.put("event", "second");
            second.put("second", seconds);
            second.put("messages", allMessages - messages);
            if (feed != null) {
                long allBytes = countBytes();
                second.put("bytes", allBytes - bytes);
                bytes = allBytes;
            }
            print.accept(toLine.apply(second));
            seconds += 1;
            messages = allMessages;
        }
    }

    private long countMessages() {
        long sum = 0;
        for (Connection connection : opened) {
            sum += connection.messages.getAcquire();
        }
        return sum;
    }

    private long countBytes() {
        long sum = 0;
        for (Connection connection : opened) {
            sum += ((CheckedConnection) connection).bytes.getAcquire();
        }
        return sum;
    }

    /** Adds the keys of the result line that only a feed has. */
    private void sumUp(Map<String, Object> result) {
        Latencies latencies = new Latencies();
        Map<String, Long> sequence = new Sequence().counts();
        long wrong = 0;
        for (Connection each : opened) {
            CheckedConnection connection = (CheckedConnection) each;
            latencies.merge(connection.latencies);
            connection.sequence.counts().forEach((key, count) -> sequence.merge(key, count, Long::sum));
            wrong += connection.wrong;
        }
        result.put("wrong", wrong);
        result.put("sequence", feed.hasNumber() ? sequence : null);
        result.put("latency_ns", feed.hasInstant() ? latencies.sorted() : null);
    }

    /** Returns the line of docs/contract.md, section 4. */
    static String toAutorouteLine(String name, Map<String, Object> event) {
        if (event.get("event").equals("second")) {
            return "messages received per second: " + event.get("messages");
        }
        long durationNs = (Long) event.get("received_ns") - (Long) event.get("opened_ns");
        return "AUTOROUTE " + name + " :: " + (durationNs + 500_000) / 1_000_000 + " ms";
    }

    /** Counts the messages of one connection. Only one thread at a time may count. */
    public static class Connection {
        private final long expected;
        private final LongSupplier clock;
        // Read by the reporter thread. A release store is the cheapest one that is visible to it.
        private final AtomicLong messages = new AtomicLong();
        private volatile boolean isComplete;
        // Time at which the last expected message arrived. Other messages are not timed, because
        // reading the clock costs more than counting.
        private long receivedNs;

        private Connection(Receiver receiver) {
            expected = receiver.expected;
            clock = receiver.clock;
        }

        /** Counts a text message. Returns true once all expected messages have arrived. */
        public boolean received(String text) {
            return count();
        }

        /** Counts a binary message. Returns true once all expected messages have arrived. */
        public boolean received(ByteBuffer binary) {
            return count();
        }

        final boolean count() {
            // The library may deliver more while the connection closes. These messages are not
            // counted.
            if (isComplete) {
                return true;
            }
            long counted = messages.getPlain() + 1;
            messages.setRelease(counted);
            if (counted < expected) {
                return false;
            }
            receivedNs = clock.getAsLong();
            isComplete = true;
            return true;
        }

        final boolean isComplete() {
            return isComplete;
        }
    }

    /** Counts and checks the messages of a feed on one connection. */
    private static final class CheckedConnection extends Connection {
        private final FeedFormat feed;
        private final LongSupplier clock;
        private final AtomicLong bytes = new AtomicLong();
        private final Sequence sequence = new Sequence();
        private final Latencies latencies = new Latencies();
        private long wrong;

        private CheckedConnection(Receiver receiver, FeedFormat feed) {
            super(receiver);
            this.feed = feed;
            clock = receiver.clock;
        }

        @Override
        public boolean received(String text) {
            if (!isComplete()) {
                add(text.getBytes(StandardCharsets.UTF_8).length);
                try {
                    check(feed.decode(text));
                } catch (WrongMessageException error) {
                    wrong += 1;
                }
            }
            return count();
        }

        @Override
        public boolean received(ByteBuffer binary) {
            if (!isComplete()) {
                add(binary.remaining());
                try {
                    check(feed.decode(binary));
                } catch (WrongMessageException error) {
                    wrong += 1;
                }
            }
            return count();
        }

        private void add(int size) {
            bytes.setRelease(bytes.getPlain() + size);
        }

        private void check(FeedFormat.Heading heading) throws WrongMessageException {
            if (feed.hasInstant()) {
                long latencyNs = clock.getAsLong() - heading.timeNs();
                if (latencyNs < 0) {
                    throw new WrongMessageException();
                }
                latencies.record(latencyNs);
            }
            if (feed.hasNumber()) {
                sequence.check(heading.number());
            }
        }
    }
}
