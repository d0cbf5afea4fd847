// Tests with the test vectors that all kits share.

package autostrada.kit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

final class VectorsTest {
    private static final Path KITS = Path.of("..");

    private VectorsTest() {}

    static void aMessageIsWrittenAndRead() throws IOException, WrongMessageException {
        for (Map<String, Object> given : cases("feeds")) {
            FeedFormat format = formatOf(given);
            long number = Long.parseLong((String) given.get("number"));
            long timeNs = Long.parseLong((String) given.get("time_ns"));
            int stocks = ((Long) given.get("stocks")).intValue();
            Path file = format.isOfStocks() ? KITS.resolve("stocks.csv") : null;
            FeedSettings settings = new FeedSettings(format, stocks, file, 1, 0, 0, 0);
            Message message = format.encode(number, timeNs, settings.stocksOfMessage(number));
            FeedFormat.Heading heading;
            if (given.containsKey("text")) {
                Check.equal(given.get("text"), message.text());
                heading = format.decode(message.text());
            } else {
                Check.equal(bytesOf(given), ByteBuffer.wrap(message.binary()));
                heading = format.decode(bytesOf(given));
            }
            long none = FeedFormat.Heading.NONE;
            Check.equal(format.hasNumber() ? number : none, heading.number());
            Check.equal(format.hasInstant() ? timeNs : none, heading.timeNs());
        }
    }

    static void whatIsNotOfTheFeedIsWrong() {
        for (Map<String, Object> given : cases("wrong")) {
            try {
                if (given.containsKey("text")) {
                    formatOf(given).decode((String) given.get("text"));
                } else {
                    formatOf(given).decode(bytesOf(given));
                }
            } catch (WrongMessageException error) {
                continue;
            }
            throw new AssertionError("was taken: " + given);
        }
    }

    static void numbersGetTheirVerdicts() {
        for (Map<String, Object> given : cases("sequences")) {
            Sequence sequence = new Sequence();
            List<Object> verdicts = list(given.get("numbers")).stream()
                    .map(number -> (Object) sequence.check((Long) number).name().toLowerCase())
                    .toList();
            Check.equal(given.get("name").toString(), given.get("verdicts"), verdicts);
            Check.equal(given.get("name").toString(), given.get("counts"), sequence.counts());
        }
    }

    static void latenciesAreRounded() {
        for (Object pair : list(vectors().get("roundings"))) {
            long latencyNs = Long.parseLong((String) list(pair).get(0));
            long roundedNs = Long.parseLong((String) list(pair).get(1));
            Check.equal(roundedNs, Latencies.round(latencyNs));
            Latencies latencies = new Latencies();
            latencies.record(latencyNs);
            Check.equal(Map.of(roundedNs, 1L), latencies.sorted());
        }
    }

    private static Map<String, Object> vectors() {
        try {
            return object(Json.parse(Files.readString(KITS.resolve("vectors.json"))));
        } catch (IOException error) {
            throw new AssertionError(error);
        }
    }

    private static List<Map<String, Object>> cases(String name) {
        return list(vectors().get(name)).stream().map(VectorsTest::object).toList();
    }

    private static FeedFormat formatOf(Map<String, Object> given) {
        return new FeedFormat((String) given.get("kind"), (String) given.get("encoding"));
    }

    private static ByteBuffer bytesOf(Map<String, Object> given) {
        return ByteBuffer.wrap(HexFormat.of().parseHex((String) given.get("hex")));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Object value) {
        return (List<Object>) value;
    }
}
