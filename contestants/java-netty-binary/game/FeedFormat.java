// Encodes the messages of a feed: docs/published.md.

package game;

import autostrada.kit.Variables;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The kind and the encoding of a feed's messages. */
record FeedFormat(String kind, String encoding) {
    private static final String GREETING = "hello world";
    private static final int HEAD_BYTES = 20;
    private static final int RECORD_BYTES = 40;

    /** Reads the variables of a feed; returns null if FEED is not set. */
    static FeedFormat read() {
        if (!Variables.has("FEED")) {
            return null;
        }
        return new FeedFormat(
                Variables.readChoice("FEED", "hello", "sequence", "clock", "stocks"),
                Variables.readChoice("ENCODING", "json", "binary"));
    }

    boolean isOfStocks() {
        return kind.equals("stocks");
    }

    /** Returns an encoded message. Only messages of kind stocks use the records. */
    Message encode(long number, long timeNs, List<Stock> stocks) {
        return encoding.equals("json")
                ? new Message(encodeText(number, timeNs, stocks), null)
                : new Message(null, encodeBinary(number, timeNs, stocks));
    }

    private String encodeText(long number, long timeNs, List<Stock> stocks) {
        if (!isOfStocks()) {
            return kind.equals("hello") ? GREETING : Long.toString(valueOf(number, timeNs));
        }
        StringBuilder json = new StringBuilder("{\"sequence\":").append(number);
        json.append(",\"time_ns\":").append(timeNs).append(",\"stocks\":[");
        for (Stock stock : stocks) {
            stock.appendJson(json);
            json.append(',');
        }
        // Replaces the last comma.
        json.setLength(json.length() - 1);
        return json.append("]}").toString();
    }

    private byte[] encodeBinary(long number, long timeNs, List<Stock> stocks) {
        if (!isOfStocks()) {
            return kind.equals("hello")
                    ? GREETING.getBytes(StandardCharsets.US_ASCII)
                    : ByteBuffer.allocate(Long.BYTES).putLong(valueOf(number, timeNs)).array();
        }
        ByteBuffer message = ByteBuffer.allocate(HEAD_BYTES + RECORD_BYTES * stocks.size());
        message.putLong(number).putLong(timeNs).putInt(stocks.size());
        for (Stock stock : stocks) {
            message.putDouble(stock.open()).putDouble(stock.high());
            message.putDouble(stock.low()).putDouble(stock.close()).putLong(stock.volume());
        }
        return message.array();
    }

    /** Returns the only value of a message of kind sequence or clock. */
    private long valueOf(long number, long timeNs) {
        return kind.equals("sequence") ? number : timeNs;
    }
}
