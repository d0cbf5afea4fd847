// Bots: connections that send when it is due. docs/contract.md, section 6.

package autostrada.kit;

import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * All connections' events, and the client's line.
 *
 * <p>Call {@code opened} for each connection, {@code answered} of what it returns for each answer,
 * {@code closed} for each connection that was told to close, and {@code finish} to wait for the end
 * of all; or {@code fail}, from any thread, when one cannot be opened or ends early.
 */
public final class Bots {
    public final URI url;
    public final int connections;

    final String payload;
    final long everyNs;
    final long drainNs;
    final LongSupplier clock;

    private final long warmUpNs;
    private final long windowNs;
    private final ScheduledExecutorService timers;
    private final Consumer<String> print;
    private final List<Bot> opened = new ArrayList<>();
    private final CountDownLatch left;
    private long startNs;

    Bots(BotSettings settings, ScheduledExecutorService timers, LongSupplier clock, Consumer<String> print) {
        url = settings.echo().url();
        connections = settings.echo().connections();
        payload = settings.echo().payload();
        warmUpNs = settings.echo().warmUpNs();
        windowNs = settings.echo().windowNs();
        everyNs = settings.everyNs();
        drainNs = settings.drainNs();
        left = new CountDownLatch(connections);
        this.timers = timers;
        this.clock = clock;
        this.print = print;
    }

    /** Makes the bots that the environment asks for. */
    public static Bots fromEnvironment() {
        BotSettings settings = Variables.readOrExit(BotSettings::read);
        ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "bots");
            thread.setDaemon(true);
            return thread;
        });
        // nanoTime() is CLOCK_MONOTONIC in the JVMs of Linux.
        return new Bots(settings, timers, System::nanoTime, Line::print);
    }

    /** Notes that a connection is open, and returns its bot, which a thread of the kit wakes. */
    public Bot opened(Consumer<String> send, Runnable close) {
        return opened(timers, send, close);
    }

    /**
     * Notes that a connection is open, and returns its bot.
     *
     * <p>The timers call {@code send} with each event when it is due, and they or {@code answered}
     * call {@code close} when the connection must be closed with 1000.
     */
    public synchronized Bot opened(ScheduledExecutorService timers, Consumer<String> send, Runnable close) {
        Bot bot = new Bot(this, opened.size(), timers, send, close);
        opened.add(bot);
        if (opened.size() == connections) {
            startNs = clock.getAsLong();
            opened.forEach(each -> each.begin(startNs));
        }
        return bot;
    }

    /** Notes that a connection is closed, as it was told to be. */
    public void closed() {
        left.countDown();
    }

    /** Waits until all connections are closed, and prints the result. */
    public void finish() throws InterruptedException {
        left.await();
        printResult();
    }

    synchronized void printResult() {
        Latencies latencies = new Latencies();
        opened.forEach(bot -> latencies.merge(bot.latencies()));
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("event", "result");
        result.put("connections", opened.size());
        result.put("sent", opened.stream().mapToLong(Bot::sentInWindow).sum());
        result.put("echoed", latencies.total());
        result.put("wrong", opened.stream().mapToLong(Bot::wrong).sum());
        result.put("window_ns", windowNs);
        result.put("response_time_ns", latencies.sorted());
        print.accept(Line.json(result));
    }

    /** Exits with the reason, in one line, why the bots cannot go on. */
    public void fail(Throwable error) {
        Exit.with(1, "cannot send to " + url + ": " + Exit.reason(error));
    }

    /** Returns when the window begins, of bots that have begun at an instant. */
    long windowStartNs(long startNs) {
        return startNs + warmUpNs;
    }

    /** Returns when the window is over. */
    long windowEndNs(long startNs) {
        return startNs + warmUpNs + windowNs;
    }
}
