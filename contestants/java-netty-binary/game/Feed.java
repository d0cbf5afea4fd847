// Sends a feed to subscribers on schedule: docs/published.md.

package game;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * One feed for one group of subscribers, from its first message to its last.
 *
 * <p>Iterate over it and send each message to all subscribers. The iteration waits until each
 * message is due.
 */
public final class Feed<G extends Set<?>> implements Iterable<Message> {
    /** Value of {@code waitNs} when the feed is over. */
    private static final long OVER = -1;

    private static final long SECOND_NS = 1_000_000_000;

    private final FeedSettings settings;
    private final G subscribed;
    private final long startNs = System.nanoTime();
    private boolean isOver;
    private long number;
    private long messages;
    private long bytes;
    // State at the last printed line.
    private long seconds;
    private long printedMessages;
    private long printedBytes;

    Feed(FeedSettings settings, G subscribed) {
        this.settings = settings;
        this.subscribed = subscribed;
    }

    /**
     * Returns whether the feed has no schedule, so that the slowest subscriber limits the send
     * rate.
     */
    public boolean isContinuous() {
        return settings.isContinuous();
    }

    /** Returns the recipients of the next message. Subscribers may join or leave at any time. */
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
                    // Not sleep(), which rounds to whole milliseconds in some versions.
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

    /**
     * Returns whether the feed is over. A subscriber that joins after that belongs to the next
     * group.
     */
    boolean isOver() {
        synchronized (subscribed) {
            return isOver;
        }
    }

    /** Returns how long to wait, in nanoseconds. 0: a message is due. OVER: the feed is over. */
    private long waitNs() {
        long nowNs = System.nanoTime();
        printSeconds(nowNs);
        // After the last message, this is when the feed ends.
        long dueNs = isContinuous() ? nowNs : startNs + number * settings.everyNs();
        if ((dueNs <= nowNs && !isLeft(dueNs)) || subscribed.isEmpty()) {
            return OVER;
        }
        return Math.max(0, Math.min(dueNs, nextEndNs()) - nowNs);
    }

    /** Returns the message that is due and counts it once per subscriber. */
    private Message nextMessage() {
        List<Stock> stocks;
        try {
            stocks = settings.stocksOfMessage(number);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        long timeNs = isContinuous() ? System.nanoTime() : startNs + number * settings.everyNs();
        Message message = settings.format().encode(number, timeNs, stocks);
        int subscribers = subscribed.size();
        number += 1;
        messages += subscribers;
        bytes += (long) message.payloadBytes() * subscribers;
        return message;
    }

    /** Prints the result line. */
    private void finish() {
        synchronized (subscribed) {
            isOver = true;
        }
        print("\"event\":\"result\"", messages, bytes);
    }

    private boolean isLeft(long dueNs) {
        return dueNs - startNs < settings.durationNs() && number < settings.messages();
    }

    private long nextEndNs() {
        return startNs + (seconds + 1) * SECOND_NS;
    }

    private void printSeconds(long untilNs) {
        while (untilNs >= nextEndNs()) {
            String head = "\"event\":\"second\",\"second\":" + seconds;
            print(head, messages - printedMessages, bytes - printedBytes);
            seconds += 1;
            printedMessages = messages;
            printedBytes = bytes;
        }
    }

    private static void print(String head, long messages, long bytes) {
        System.out.println("{" + head + ",\"messages\":" + messages + ",\"bytes\":" + bytes + "}");
        System.out.flush();
    }
}
