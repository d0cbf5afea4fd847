// Sends a feed to subscribers: what is sent next, when, and what was. docs/contract.md, section 8.

package autostrada.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * One feed for one group of subscribers, from its first message to its last.
 *
 * <p>Iterate over it, and hand each message to all subscribers. It takes the time that the messages have
 * between them.
 */
public final class Feed<G extends Set<?>> implements Iterable<Message> {
    /** What wait_ns is when all messages were sent, and the time of the last one is over. */
    static final long OVER = -1;

    private static final long SECOND_NS = 1_000_000_000;

    private final FeedSettings settings;
    private final G subscribed;
    private final LongSupplier clock;
    private final Consumer<String> print;
    private final long startNs;
    private boolean isOver;
    private long number;
    private long messages;
    private long bytes;
    // What the lines printed so far say.
    private long seconds;
    private long printedMessages;
    private long printedBytes;

    Feed(FeedSettings settings, G subscribed, LongSupplier clock, Consumer<String> print) {
        this.settings = settings;
        this.subscribed = subscribed;
        this.clock = clock;
        this.print = print;
        startNs = clock.getAsLong();
    }

    /** Whether the slowest subscriber sets the pace. */
    public boolean isContinuous() {
        return settings.isContinuous();
    }

    /** Whoever gets the next message; some may join or leave at any time. */
    public G subscribed() {
        return subscribed;
    }

    @Override
    public Iterator<Message> iterator() {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                for (long waitNs = waitNs(); waitNs != 0; waitNs = waitNs()) {
                    if (waitNs == OVER) {
                        finish();
                        return false;
                    }
                    // Not sleep(), which takes whole milliseconds in some versions.
                    LockSupport.parkNanos(waitNs);
                }
                return true;
            }

            @Override
            public Message next() {
                if (isOver()) {
                    throw new NoSuchElementException();
                }
                return nextMessage();
            }
        };
    }

    /** Whether all messages were sent; who joins then is of the next subscribers. */
    boolean isOver() {
        synchronized (subscribed) {
            return isOver;
        }
    }

    /** Returns how long to wait; 0: for a message; OVER: all were sent, and their time is over. */
    long waitNs() {
        long nowNs = clock.getAsLong();
        printSeconds(nowNs);
        // Or would be, after the last one.
        long dueNs = isContinuous() ? nowNs : startNs + number * settings.everyNs();
        if ((dueNs <= nowNs && !isLeft(dueNs)) || subscribed.isEmpty()) {
            return OVER;
        }
        return Math.max(0, Math.min(dueNs, nextEndNs()) - nowNs);
    }

    /** Makes the message that is due, and counts it for each subscriber. */
    Message nextMessage() {
        List<Stock> stocks;
        try {
            stocks = settings.stocksOfMessage(number);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        long timeNs = isContinuous() ? clock.getAsLong() : startNs + number * settings.everyNs();
        Message message = settings.format().encode(number, timeNs, stocks);
        int subscribers = subscribed.size();
        number += 1;
        messages += subscribers;
        bytes += (long) message.payloadBytes() * subscribers;
        return message;
    }

    /** Prints the result. */
    void finish() {
        synchronized (subscribed) {
            isOver = true;
        }
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("event", "result");
        result.put("messages", messages);
        result.put("bytes", bytes);
        print.accept(Line.json(result));
    }

    private boolean isLeft(long dueNs) {
        return dueNs - startNs < settings.durationNs() && number < settings.messages();
    }

    private long nextEndNs() {
        return startNs + (seconds + 1) * SECOND_NS;
    }

    private void printSeconds(long untilNs) {
        while (untilNs >= nextEndNs()) {
            Map<String, Object> second = new LinkedHashMap<>();
            second.put("event", "second");
            second.put("second", seconds);
            second.put("messages", messages - printedMessages);
            second.put("bytes", bytes - printedBytes);
            print.accept(Line.json(second));
            seconds += 1;
            printedMessages = messages;
            printedBytes = bytes;
        }
    }
}
