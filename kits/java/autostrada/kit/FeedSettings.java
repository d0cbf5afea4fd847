// Reads the environment variables of a server's feed: docs/contract.md, sections 7 and 8.

package autostrada.kit;

import java.io.IOException;
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
    static FeedSettings read(Variables variables) {
        FeedFormat format = FeedFormat.read(variables);
        if (format == null) {
            return null;
        }
        boolean isTimed = variables.has("SECONDS");
        if (isTimed == variables.has("MESSAGES")) {
            throw new SettingsException("MESSAGES or SECONDS: set exactly one of them");
        }
        FeedSettings settings = new FeedSettings(
                format,
                (int) variables.readCount("STOCKS", "1", STOCKS_MAX),
                format.isOfStocks() ? Path.of(variables.read("STOCKS_FILE")) : null,
                (int) variables.readCount("SUBSCRIBERS", "1", Integer.MAX_VALUE),
                variables.has("EVERY_MS") ? variables.readIntervalNs() : CONTINUOUS,
                isTimed ? variables.readTimeNs("SECONDS") : UNLIMITED,
                isTimed ? UNLIMITED : variables.readCount("MESSAGES", null));
        try {
            settings.stocksOfMessage(0);
        } catch (IOException | IllegalArgumentException error) {
            throw new SettingsException("STOCKS_FILE cannot be used: " + error);
        }
        return settings;
    }

    boolean isContinuous() {
        return everyNs == CONTINUOUS;
    }

    /** Reads the file again and returns the records of a message: docs/contract.md, clause 7.1. */
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
