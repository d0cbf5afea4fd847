// Tests of the bots, with a clock and timers set by hand.

package autostrada.kit;

import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

final class BotsTest {
    private static final long OPENED_NS = 81_000_000_000L;
    private static final long EVERY_NS = 100;
    private static final long WARM_UP_NS = 250;
    private static final long WINDOW_NS = 400;

    private BotsTest() {}

    /** Bots whose clock stands still until it is set, each of which keeps what it sends. */
    private static final class Bench extends ScheduledThreadPoolExecutor {
        private record Timer(long dueNs, Runnable work) {}

        private final List<String> lines = new ArrayList<>();
        private final List<Timer> timers = new ArrayList<>();
        private final Bots bots;
        private long nowNs = OPENED_NS;

        private Bench(int connections, long warmUpNs, long drainNs) {
            super(0);
            URI url = URI.create("ws://host/echo");
            EchoSettings echo = new EchoSettings(url, connections, "hi", warmUpNs, WINDOW_NS);
            bots = new Bots(new BotSettings(echo, EVERY_NS, drainNs), this, () -> nowNs, lines::add);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable work, long delay, TimeUnit unit) {
            timers.add(new Timer(nowNs + unit.toNanos(delay), work));
            return null;
        }

        private Bot open(List<String> sent) {
            return bots.opened(sent::add, bots::closed);
        }

        /** Lets so much time pass. */
        private void pass(long passedNs) {
            for (long untilNs = nowNs + passedNs; nowNs <= untilNs; nowNs++) {
                for (Timer timer : List.copyOf(timers)) {
                    if (timer.dueNs <= nowNs) {
                        timers.remove(timer);
                        timer.work.run();
                    }
                }
            }
            nowNs -= 1;
        }

        private void expect(String sums) {
            bots.printResult();
            Check.equal("{\"event\":\"result\"," + sums + "}", lines.get(0));
        }
    }

    static void beginsWhenTheLastConnectionIsOpenAndIsSpreadOverTheInterval() {
        Bench bench = new Bench(2, WARM_UP_NS, 5_000);
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        bench.open(first);
        bench.pass(500);
        Check.equal(0, first.size());
        long beganNs = bench.nowNs;
        bench.open(second);
        bench.pass(1_000);
        // Due at 0, 100, … 600 and at 50, 150, … 550 of 650.
        Check.equal(List.of(7, 6), List.of(first.size(), second.size()));
        Check.equal(Bot.stamp(2, beganNs + 200, "hi"), first.get(2));
        Check.equal(Bot.stamp(0, beganNs + 50, "hi"), second.get(0));
        bench.expect("\"connections\":2,\"sent\":8,\"echoed\":0,\"wrong\":0,\"window_ns\":400,"
                + "\"response_time_ns\":{}");
    }

    static void responseTimesAreFromDueAndOfTheWindowOnly() {
        Bench bench = new Bench(1, WARM_UP_NS, 5_000);
        List<String> sent = new ArrayList<>();
        Bot bot = bench.open(sent);
        bench.pass(640);
        sent.forEach(bot::answered);
        Check.equal(true, bot.isOver());
        bench.expect("\"connections\":1,\"sent\":4,\"echoed\":4,\"wrong\":0,\"window_ns\":400,"
                + "\"response_time_ns\":{\"40\":1,\"140\":1,\"240\":1,\"340\":1}");
    }

    static void anAnswerIsRightOnceAndInItsOrder() {
        Bench bench = new Bench(1, 0, 5_000);
        List<String> sent = new ArrayList<>();
        Bot bot = bench.open(sent);
        bench.pass(390);
        bot.answered(sent.get(1));
        for (String wrong : List.of(sent.get(1), sent.get(0), sent.get(2) + "!", "", "4", "9".repeat(20))) {
            bot.answered(wrong);
        }
        bot.answered(ByteBuffer.wrap(sent.get(2).getBytes()));
        bot.answered(Bot.stamp(99, OPENED_NS + 99 * EVERY_NS, "hi"));
        Check.equal(false, bot.isOver());
        bot.answered(sent.get(3));
        Check.equal(true, bot.isOver());
        bench.expect("\"connections\":1,\"sent\":4,\"echoed\":2,\"wrong\":8,\"window_ns\":400,"
                + "\"response_time_ns\":{\"90\":1,\"290\":1}");
    }

    static void answersThatDoNotComeAreNotWaitedForAnyLonger() {
        Bench bench = new Bench(1, 0, 1_000);
        Bot bot = bench.open(new ArrayList<>());
        bench.pass(1_399);
        Check.equal(false, bot.isOver());
        bench.pass(1);
        Check.equal(true, bot.isOver());
    }

    static void whatIsLateIsSentAtOnce() {
        Bench bench = new Bench(1, 0, 5_000);
        List<String> sent = new ArrayList<>();
        bench.open(sent);
        bench.nowNs += 250;
        bench.pass(0);
        Check.equal(3, sent.size());
        Check.equal(Bot.stamp(1, OPENED_NS + 100, "hi"), sent.get(1));
    }
}
