// Reads the environment variables of a server's feed: docs/published.md.

package game;

import autostrada.kit.Variables;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Settings of a feed. Durations are in nanoseconds. */
record FeedSettings(
        FeedFormat format,
        int stocks,
        Path stocksFile,
        int subscribers,
        long everyNs,
        long durationNs,
        long messages) {
    /** Value of {@code everyNs} for a feed without a schedule. */
    static final long CONTINUOUS = 0;

    /** Value of a duration or a number of messages that does not limit the feed. */
    static final long UNLIMITED = Long.MAX_VALUE;

    private static final int STOCKS_MAX = 1_000_000;

    /** Reads the variables of a feed; returns null if FEED is not set. */
    static FeedSettings read() {
        FeedFormat format = FeedFormat.read();
        if (format == null) {
            return null;
        }
        boolean isTimed = Variables.has("SECONDS");
        if (isTimed == Variables.has("MESSAGES")) {
            throw new Variables.WrongException("MESSAGES or SECONDS: set exactly one of them");
        }
        FeedSettings settings = new FeedSettings(
                format,
                (int) Variables.readCount("STOCKS", "1", STOCKS_MAX),
                format.isOfStocks() ? Path.of(Variables.read("STOCKS_FILE", null)) : null,
                (int) Variables.readCount("SUBSCRIBERS", "1", Integer.MAX_VALUE),
                Variables.has("EVERY_MS") ? readTimeNs("EVERY_MS", 7, 6) : CONTINUOUS,
                isTimed ? readTimeNs("SECONDS", 6, 9) : UNLIMITED,
                isTimed ? UNLIMITED : Variables.readCount("MESSAGES", null, Long.MAX_VALUE));
        try {
            settings.stocksOfMessage(0);
        } catch (IOException | IllegalArgumentException error) {
            throw new Variables.WrongException("STOCKS_FILE cannot be used: " + error);
        }
        return settings;
    }

    /** Reads a time greater than 0 with at most that many digits before and after the point. */
    private static long readTimeNs(String variable, int digits, int decimals) {
        String value = Variables.read(variable, null);
        if (value.matches("[0-9]{1," + digits + "}(\\.[0-9]{1," + decimals + "})?")) {
            long timeNs = new BigDecimal(value).movePointRight(decimals).longValueExact();
            if (timeNs > 0) {
                return timeNs;
            }
        }
        throw new Variables.WrongException(variable + " must be a time like 2 or 0.5, not '" + value + "'");
    }

    boolean isContinuous() {
        return everyNs == CONTINUOUS;
    }

    /** Reads the file again and returns the records of a message. */
    List<Stock> stocksOfMessage(long number) throws IOException {
        if (stocksFile == null) {
            return List.of();
        }
        List<Stock> rows = Stock.parse(Files.readString(stocksFile));
        List<Stock> chosen = new ArrayList<>(stocks);
        for (int index = 0; index < stocks; index++) {
            chosen.add(rows.get((int) ((number + index) % rows.size())));
        }
        return chosen;
    }
}
