// Counts what a client receives and prints its lines: docs/contract.md, sections 3, 4 and 7.

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
 * A client's counts and lines.
 *
 * <p>Call {@code opened} for each connection, {@code received} of what it returns for each message,
 * {@code closed} for each connection that has ended, and {@code finish} to wait for the end of all;
 * or {@code fail}, from any thread, when one cannot be opened.
 */
public final class Receiver {
    private static final long SECOND_NS = 1_000_000_000;

    public final URI url;
    public final int connections;
    /** Whether messages are those of a feed: their contents are checked. */
    public final boolean isOfFeed;

    private final FeedFormat feed;
    private final long wanted;
    private final LongSupplier clock;
    private final Function<Map<String, Object>, String> toLine;
    private final Consumer<String> print;
    private final List<Connection> opened = new ArrayList<>();
    private final CountDownLatch isOpen = new CountDownLatch(1);
    private final CountDownLatch left;
    private boolean isFinished;
    private long openedNs;
    // What the lines printed so far say.
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
        isOfFeed = feed != null;
        wanted = settings.messages();
        left = new CountDownLatch(connections);
        this.toLine = toLine;
        this.clock = clock;
        this.print = print;
    }

    /** Makes the receiver that the environment asks for; it prints each second. */
    public static Receiver fromEnvironment() {
        Settings settings = Variables.readOrExit(Settings::read);
        // Contract, clause 1.3: a program runs in its own folder.
        String name = Path.of("").toAbsolutePath().getFileName().toString();
        boolean isJson = settings.lines().equals("json");
        // nanoTime() is CLOCK_MONOTONIC in the JVMs of Linux.
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

    /** Notes that a connection is open, and returns what counts its messages. */
    public synchronized Connection opened() {
        Connection connection = feed == null ? new Connection(this) : new CheckedConnection(this, feed);
        if (opened.isEmpty()) {
            openedNs = clock.getAsLong();
        }
        opened.add(connection);
        isOpen.countDown();
        return connection;
    }

    /** Notes that a connection has ended. */
    public void closed() {
        left.countDown();
    }

    /** Waits until all connections have ended, and prints the result. */
    public void finish() throws InterruptedException {
        left.await();
        printResult();
    }

    /** Exits with the reason, in one line, why there is nothing to count. */
    public void fail(Throwable error) {
        Exit.with(1, "cannot receive from " + url + ": " + Exit.reason(error));
    }

    /**
     * Prints the seconds that have ended.
     *
     * <p>Returns the nanoseconds to the end of the next one, or nothing when all messages are there:
     * no second is printed after the last message.
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

    /** Prints the result; where messages are missing, received_ns is the instant of this call. */
    synchronized void printResult() {
        long receivedNs = allReceivedNs().orElseGet(clock);
        printSeconds(receivedNs);
        long allMessages = countMessages();
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("event", "result");
        result.put("connections", opened.size());
        result.put("messages", allMessages);
        if (isOfFeed) {
            result.put("bytes", countBytes());
        }
        result.put("opened_ns", openedNs);
        result.put("received_ns", receivedNs);
        if (isOfFeed) {
            sumUp(result);
        }
        print.accept(toLine.apply(result));
        isFinished = true;
        if (wanted != Settings.UNLIMITED && allMessages < wanted * connections) {
            System.err.println("received " + allMessages + " of " + wanted * connections + " messages");
        }
    }

    private void report() {
        try {
            isOpen.await();
            // What is run for the first time must be compiled: not while messages are coming in.
            TimeUnit.NANOSECONDS.sleep(SECOND_NS);
            for (OptionalLong leftNs = tick(); leftNs.isPresent(); leftNs = tick()) {
                TimeUnit.NANOSECONDS.sleep(leftNs.getAsLong());
            }
        } catch (InterruptedException error) {
            throw new AssertionError("nobody interrupts the reporter", error);
        }
    }

    /** Returns when the last message came, or nothing while messages are missing. */
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
        // After a stall of several seconds the first of them gets all that came: which came when is
        // not known.
        while (untilNs >= nextEndNs()) {
            long allMessages = countMessages();
            Map<String, Object> second = new LinkedHashMap<>();
            second.put("event", "second");
            second.put("second", seconds);
            second.put("messages", allMessages - messages);
            if (isOfFeed) {
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

    /** Adds what the result says of a feed. */
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

    /** Returns the line of the contract's section 4. */
    static String toAutorouteLine(String name, Map<String, Object> event) {
        if (event.get("event").equals("second")) {
            return "messages received per second: " + event.get("messages");
        }
        long durationNs = (Long) event.get("received_ns") - (Long) event.get("opened_ns");
        return "AUTOROUTE " + name + " :: " + (durationNs + 500_000) / 1_000_000 + " ms";
    }

    /** What one connection has received. One thread at a time counts. */
    public static class Connection {
        private final long wanted;
        private final LongSupplier clock;
        // Read by the thread that prints: the cheapest store that another thread gets to see.
        private final AtomicLong messages = new AtomicLong();
        private volatile boolean isComplete;
        // When the last message wanted came. The others are not timed: asking the clock costs more
        // than all the rest of the counting.
        private long receivedNs;

        private Connection(Receiver receiver) {
            wanted = receiver.wanted;
            clock = receiver.clock;
        }

        /** Takes a text, and says whether that is all that was wanted. */
        public boolean received(CharSequence text) {
            return received();
        }

        /** Takes a binary message, and says whether that is all that was wanted. */
        public boolean received(ByteBuffer binary) {
            return received();
        }

        /** Counts one message, whatever it is, and says whether that is all that was wanted. */
        public final boolean received() {
            // A library may deliver more while the connection closes. That is not counted.
            if (isComplete) {
                return true;
            }
            long counted = messages.getPlain() + 1;
            messages.setRelease(counted);
            if (counted < wanted) {
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

    /** What one connection has received of a feed. */
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
        public boolean received(CharSequence text) {
            if (!isComplete()) {
                String message = text.toString();
                add(message.getBytes(StandardCharsets.UTF_8).length);
                try {
                    check(feed.decode(message));
                } catch (WrongMessageException error) {
                    wrong += 1;
                }
            }
            return received();
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
            return received();
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
