// Tests of a feed, with a manual clock, and of its subscribers.

package autostrada.kit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

final class FeedTest {
    private static final long START_NS = 81_000_000_000L;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long EVERY_NS = 400_000_000L;
    private static final long UNLIMITED = FeedSettings.UNLIMITED;

    private FeedTest() {}

    /** A feed with a manual clock. */
    private static final class Bench {
        private final List<String> lines = new ArrayList<>();
        private final Set<String> subscribed = new HashSet<>(Set.of("a", "b"));
        private final Feed<Set<String>> feed;
        private long nowNs = START_NS;

        private Bench(String kind, long everyNs, long durationNs, long messages) {
            FeedFormat format = new FeedFormat(kind, "json");
            FeedSettings settings = new FeedSettings(format, 1, null, 2, everyNs, durationNs, messages);
            feed = new Feed<>(settings, subscribed, () -> nowNs, lines::add);
        }
    }

    static void messagesAreDueByTheirNumber() {
        Bench bench = new Bench("clock", EVERY_NS, UNLIMITED, 3);
        Check.equal(0L, bench.feed.waitNs());
        Check.equal("81000000000", bench.feed.nextMessage().text());
        Check.equal(EVERY_NS, bench.feed.waitNs());
        // A late message carries the time at which it was due, and does not delay the next ones.
        bench.nowNs += EVERY_NS + 7;
        Check.equal(0L, bench.feed.waitNs());
        Check.equal("81400000000", bench.feed.nextMessage().text());
        Check.equal(EVERY_NS - 7, bench.feed.waitNs());
        bench.nowNs = START_NS + 2 * EVERY_NS;
        Check.equal("81800000000", bench.feed.nextMessage().text());
        // The last message has an interval like the others; the end of the second comes first.
        Check.equal(EVERY_NS / 2, bench.feed.waitNs());
        bench.nowNs += EVERY_NS;
        Check.equal(Feed.OVER, bench.feed.waitNs());
    }

    static void whatWouldBeDueAtTheEndIsNotSent() {
        Bench timed = new Bench("sequence", EVERY_NS, 2 * EVERY_NS, UNLIMITED);
        for (int number = 0; number < 2; number++) {
            timed.nowNs = START_NS + number * EVERY_NS;
            Check.equal(0L, timed.feed.waitNs());
            Check.equal(Integer.toString(number), timed.feed.nextMessage().text());
        }
        Check.equal(EVERY_NS, timed.feed.waitNs());
        timed.nowNs += EVERY_NS;
        Check.equal(Feed.OVER, timed.feed.waitNs());
        Bench continuous = new Bench("clock", FeedSettings.CONTINUOUS, 10, UNLIMITED);
        continuous.nowNs += 9;
        Check.equal(0L, continuous.feed.waitNs());
        Check.equal("81000000009", continuous.feed.nextMessage().text());
        continuous.nowNs += 1;
        Check.equal(Feed.OVER, continuous.feed.waitNs());
    }

    static void eachSecondHasTheMessagesHandedOverAndTheLastSubscriberEndsIt() {
        Bench bench = new Bench("hello", 700_000_000, UNLIMITED, 9);
        for (int number = 0; number < 3; number++) {
            bench.nowNs = START_NS + number * 700_000_000L;
            bench.feed.waitNs();
            bench.feed.nextMessage();
        }
        bench.subscribed.clear();
        bench.nowNs = START_NS + 2 * SECOND_NS;
        Check.equal(Feed.OVER, bench.feed.waitNs());
        bench.feed.finish();
        Check.equal(
                List.of(
                        "{\"event\":\"second\",\"second\":0,\"messages\":4,\"bytes\":44}",
                        "{\"event\":\"second\",\"second\":1,\"messages\":2,\"bytes\":22}",
                        "{\"event\":\"result\",\"messages\":6,\"bytes\":66}"),
                bench.lines);
    }

    static void aWaitIsNoLongerThanTheSecond() {
        Bench bench = new Bench("hello", 5 * SECOND_NS, UNLIMITED, 2);
        bench.feed.nextMessage();
        Check.equal(SECOND_NS, bench.feed.waitNs());
        bench.nowNs += SECOND_NS;
        Check.equal(SECOND_NS, bench.feed.waitNs());
        Check.equal(1, bench.lines.size());
    }

    static void iteratingGivesAllAndThenTheResult() {
        Bench bench = new Bench("sequence", FeedSettings.CONTINUOUS, UNLIMITED, 3);
        List<String> received = new ArrayList<>();
        bench.feed.forEach(message -> received.add(message.text()));
        Check.equal(List.of("0", "1", "2"), received);
        Check.equal(true, bench.feed.isOver());
        Check.equal(List.of("{\"event\":\"result\",\"messages\":6,\"bytes\":6}"), bench.lines);
    }

    static void subscribersGetTheirFeedWhenAllAreThereAndSoDoTheNext() throws InterruptedException {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        Subscribers<String, Set<String>> subscribers =
                Subscribers.of(settings("SUBSCRIBERS", "2", "MESSAGES", "2"), feed -> {
                    String subscribed = String.join("", new TreeSet<>(feed.subscribed()));
                    feed.forEach(message -> received.add(message.text() + subscribed));
                    received.add("over");
                });
        for (String subscribed : List.of("ab", "cd")) {
            subscribers.join("early").run();
            subscribers.join(subscribed.substring(0, 1));
            subscribers.join(subscribed.substring(1));
            for (String expected : List.of("0" + subscribed, "1" + subscribed, "over")) {
                Check.equal(expected, received.poll(20, TimeUnit.SECONDS));
            }
        }
    }

    static void withoutAFeedNobodyCanJoin() {
        try {
            Subscribers.of(settings(), feed -> {}).join("a");
        } catch (IllegalStateException error) {
            Check.equal(true, error.getMessage().contains("set FEED"));
            return;
        }
        throw new AssertionError("joined");
    }

    private static ServerSettings settings(String... feed) {
        Map<String, String> environment = new HashMap<>(Map.of("PORT", "8008"));
        for (int index = 0; index < feed.length; index += 2) {
            environment.put("FEED", "sequence");
            environment.put(feed[index], feed[index + 1]);
        }
        return ServerSettings.read(new Variables(environment));
    }
}
