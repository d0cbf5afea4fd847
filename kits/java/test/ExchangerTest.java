// Tests of the echo counts and the result line, with a manual clock.

package autostrada.kit;

import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

final class ExchangerTest {
    private static final long OPENED_NS = 81_000_000_000L;
    private static final long WARM_UP_NS = 500;
    private static final long WINDOW_NS = 2_000;
    private static final long WINDOW_AT_NS = OPENED_NS + WARM_UP_NS;
    private static final String PAYLOAD = "grüezi";

    private ExchangerTest() {}

    /** An exchanger with a manual clock. */
    private static final class Bench {
        private final List<String> lines = new ArrayList<>();
        private final Exchanger exchanger;
        private final int connections;
        private long nowNs = OPENED_NS;

        private Bench(int connections) {
            this.connections = connections;
            URI url = URI.create("ws://host/echo");
            EchoSettings settings = new EchoSettings(url, connections, PAYLOAD, WARM_UP_NS, WINDOW_NS);
            exchanger = new Exchanger(settings, () -> nowNs, lines::add);
        }

        private boolean answerAt(Exchanger.Exchange exchange, long atNs, String answer) {
            nowNs = atNs;
            return exchange.answered(answer);
        }

        private void expect(long echoed, long wrong) {
            exchanger.printResult();
            Check.equal(
                    "{\"event\":\"result\",\"connections\":" + connections + ",\"echoed\":" + echoed
                            + ",\"wrong\":" + wrong + ",\"window_ns\":2000}",
                    lines.get(0));
        }
    }

    static void countsWhatComesWithinTheWindowAndEndsAfterIt() {
        long[][] cases = {
            {OPENED_NS, 0},
            {WINDOW_AT_NS - 1, 0},
            {WINDOW_AT_NS, 1},
            {WINDOW_AT_NS + WINDOW_NS - 1, 1},
            {WINDOW_AT_NS + WINDOW_NS, 0},
        };
        for (long[] each : cases) {
            Bench bench = new Bench(1);
            Exchanger.Exchange exchange = bench.exchanger.opened();
            boolean isOngoing = each[0] < WINDOW_AT_NS + WINDOW_NS;
            Check.equal(isOngoing, bench.answerAt(exchange, each[0], PAYLOAD));
            Check.equal(!isOngoing, exchange.isOver());
            bench.expect(each[1], 0);
        }
    }

    static void anotherContentOrTypeIsWrongWheneverItComes() {
        Bench bench = new Bench(1);
        Exchanger.Exchange exchange = bench.exchanger.opened();
        for (String answer : List.of("", "grüezj", "grüezi ")) {
            Check.equal(true, bench.answerAt(exchange, WINDOW_AT_NS, answer));
        }
        Check.equal(true, exchange.answered(ByteBuffer.wrap(PAYLOAD.getBytes())));
        Check.equal(true, bench.answerAt(exchange, OPENED_NS, "other"));
        Check.equal(false, bench.answerAt(exchange, WINDOW_AT_NS + WINDOW_NS, "other"));
        bench.expect(0, 6);
    }

    static void theWarmUpBeginsWhenTheLastConnectionIsOpen() {
        Bench bench = new Bench(2);
        Exchanger.Exchange first = bench.exchanger.opened();
        long lateNs = OPENED_NS + 10 * WINDOW_NS;
        Check.equal(true, bench.answerAt(first, lateNs, PAYLOAD));
        Exchanger.Exchange second = bench.exchanger.opened();
        Check.equal(true, bench.answerAt(first, lateNs + WARM_UP_NS - 1, PAYLOAD));
        Check.equal(true, bench.answerAt(first, lateNs + WARM_UP_NS, PAYLOAD));
        Check.equal(true, bench.answerAt(second, lateNs + WARM_UP_NS, PAYLOAD));
        bench.expect(2, 0);
    }
}
