// Tests of the counts and the printed lines, with a manual clock.

package autostrada.kit;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

final class ReceiverTest {
    private static final long OPENED_NS = 81_000_000_000L;
    private static final long SECOND_NS = 1_000_000_000L;

    private ReceiverTest() {}

    /** A receiver with a manual clock. */
    private static final class Bench {
        private final List<String> lines = new ArrayList<>();
        private final Receiver receiver;
        private long nowNs = OPENED_NS;

        private Bench(long messages, int connections, FeedFormat feed, Function<Map<String, Object>, String> toLine) {
            Settings settings = new Settings(URI.create("ws://host/1"), messages, connections, "json", feed);
            receiver = new Receiver(settings, toLine, () -> nowNs, lines::add);
        }

        private static Bench of(long messages, int connections) {
            return new Bench(messages, connections, null, Line::json);
        }
    }

    static void theResultIsTheLineOfTheContract() {
        Bench bench = Bench.of(2, 1);
        Receiver.Connection connection = bench.receiver.opened();
        bench.nowNs += 400_000_000;
        Check.equal(false, connection.received("hello"));
        bench.nowNs += 83;
        Check.equal(true, connection.received("world"));
        bench.nowNs += 900_000_000;
        // Messages that arrive while the connection closes are not counted.
        Check.equal(true, connection.received("more"));
        Check.equal(OptionalLong.empty(), bench.receiver.tick());
        bench.receiver.printResult();
        Check.equal(OptionalLong.empty(), bench.receiver.tick());
        String line = "{\"event\":\"result\",\"connections\":1,\"messages\":2,"
                + "\"opened_ns\":81000000000,\"received_ns\":81400000083}";
        Check.equal(List.of(line), bench.lines);
    }

    private static Bench ofFeed(long messages) {
        return new Bench(messages, 1, new FeedFormat("hello", "json"), Line::json);
    }

    static void bytesOfTextAreThoseOfItsUtf8Form() {
        for (String text : List.of("", "hello world", "grüezi", "日本語", "grüezi 👋")) {
            Bench bench = ofFeed(1);
            bench.receiver.opened().received(text);
            bench.receiver.printResult();
            int size = text.getBytes(StandardCharsets.UTF_8).length;
            Check.equal(text, true, bench.lines.get(0).contains("\"bytes\":" + size + ","));
        }
        Bench bench = ofFeed(1);
        bench.receiver.opened().received(ByteBuffer.wrap(new byte[3]));
        bench.receiver.printResult();
        Check.equal(true, bench.lines.get(0).contains("\"bytes\":3,"));
    }

    static void aSecondIsPrintedWhenItHasEndedAndNotBefore() {
        Bench bench = Bench.of(10, 1);
        bench.receiver.opened().received("hello");
        bench.nowNs += SECOND_NS - 1;
        Check.equal(OptionalLong.of(1), bench.receiver.tick());
        Check.equal(List.of(), bench.lines);
        bench.nowNs += 1;
        Check.equal(OptionalLong.of(SECOND_NS), bench.receiver.tick());
        Check.equal(List.of("{\"event\":\"second\",\"second\":0,\"messages\":1}"), bench.lines);
    }

    static void afterAStallTheMissedSecondsArePrintedAndTheNextIsNotMoved() {
        Bench bench = Bench.of(10, 1);
        bench.receiver.opened().received("hello");
        bench.nowNs += 2 * SECOND_NS + 300_000_000;
        Check.equal(OptionalLong.of(700_000_000), bench.receiver.tick());
        Check.equal("{\"event\":\"second\",\"second\":1,\"messages\":0}", bench.lines.get(1));
    }

    static void connectionsAreAddedUpAndTheFirstOpeningCounts() {
        Bench bench = Bench.of(1, 2);
        Receiver.Connection first = bench.receiver.opened();
        bench.nowNs += 1_000;
        Receiver.Connection second = bench.receiver.opened();
        bench.nowNs += 7;
        second.received("worlds");
        Check.equal(true, bench.receiver.tick().isPresent());
        bench.nowNs += 7;
        first.received("hello");
        bench.nowNs += 7;
        bench.receiver.printResult();
        String line = "{\"event\":\"result\",\"connections\":2,\"messages\":2,"
                + "\"opened_ns\":81000000000,\"received_ns\":81000001014}";
        Check.equal(List.of(line), bench.lines);
    }

    static void aFeedIsCheckedAndSummedUp() {
        Bench bench = new Bench(Settings.UNLIMITED, 1, new FeedFormat("clock", "json"), Line::json);
        Receiver.Connection connection = bench.receiver.opened();
        connection.received(Long.toString(OPENED_NS - 81_234));
        connection.received(Long.toString(OPENED_NS + 1));
        connection.received(ByteBuffer.wrap(new byte[8]));
        bench.receiver.printResult();
        Check.equal(true, bench.lines.get(0).endsWith(",\"wrong\":2,\"sequence\":null,\"latency_ns\":{\"81200\":1}}"));
        bench = new Bench(3, 1, new FeedFormat("sequence", "json"), Line::json);
        connection = bench.receiver.opened();
        for (String number : List.of("7", "9", "no")) {
            connection.received(number);
        }
        bench.receiver.printResult();
        String sums = "{\"in_order\":1,\"gaps\":1,\"missing\":1,\"duplicates\":0,\"reordered\":0,\"unexpected\":0}";
        Check.equal(true, bench.lines.get(0).endsWith(",\"wrong\":1,\"sequence\":" + sums + ",\"latency_ns\":null}"));
    }

    static void byHandTheLinesAreThoseOfTheOriginal() {
        Bench bench = new Bench(2, 1, null, event -> Receiver.toAutorouteLine("java-example", event));
        Receiver.Connection connection = bench.receiver.opened();
        connection.received("hello");
        bench.nowNs += SECOND_NS;
        bench.receiver.tick();
        bench.nowNs += 830_500_000;
        connection.received("hello");
        bench.receiver.printResult();
        Check.equal(List.of("messages received per second: 1", "AUTOROUTE java-example :: 1831 ms"), bench.lines);
    }

    static void aReasonIsOneLine() {
        Check.equal("no route", Exit.reason(new IOException("no route")));
        Check.equal("TimeoutException", Exit.reason(new TimeoutException()));
        Check.equal("status 200", Exit.reason(new IllegalStateException("\nstatus 200\n<html>\n")));
        Exception cause = new ConnectException();
        Check.equal("ConnectException", Exit.reason(new CompletionException(cause)));
    }
}
