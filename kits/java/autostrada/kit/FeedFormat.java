// Encodes and decodes the messages of a feed: docs/contract.md, section 7.

package autostrada.kit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The kind and the encoding of a feed's messages. */
record FeedFormat(String kind, String encoding) {
    private static final String GREETING = "hello world";
    private static final ByteBuffer GREETING_BYTES =
            ByteBuffer.wrap(GREETING.getBytes(StandardCharsets.US_ASCII));
    private static final long NUMBER_END = 1L << 53;
    private static final int HEAD_BYTES = 20;
    private static final int RECORD_BYTES = 40;
    private static final int DIGITS_MAX = 19;
    private static final String JSON_NUMBER = "{\"sequence\":";
    private static final String JSON_TIME = ",\"time_ns\":";
    private static final String JSON_STOCKS = ",\"stocks\":[";
    private static final String JSON_END = "]}";

    /** The sequence number and the time in a message; NONE if its kind has none. */
    record Heading(long number, long timeNs) {
        static final long NONE = -1;
    }

    /** Reads the variables of a feed; returns null if FEED is not set. */
    static FeedFormat read(Variables variables) {
        if (!variables.has("FEED")) {
            return null;
        }
        return new FeedFormat(
                variables.readChoice("FEED", "hello", "sequence", "clock", "stocks"),
                variables.readChoice("ENCODING", "json", "binary"));
    }

    boolean isText() {
        return encoding.equals("json");
    }

    /** Returns whether a message contains its sequence number. */
    boolean hasNumber() {
        return kind.equals("sequence") || isOfStocks();
    }

    /** Returns whether a message contains a time. */
    boolean hasInstant() {
        return kind.equals("clock") || isOfStocks();
    }

    boolean isOfStocks() {
        return kind.equals("stocks");
    }

    /** Returns an encoded message. Only messages of kind stocks use the records. */
    Message encode(long number, long timeNs, List<Stock> stocks) {
        return isText()
                ? new Message(encodeText(number, timeNs, stocks), null)
                : new Message(null, encodeBinary(number, timeNs, stocks));
    }

    private String encodeText(long number, long timeNs, List<Stock> stocks) {
        if (!isOfStocks()) {
            return kind.equals("hello") ? GREETING : Long.toString(hasNumber() ? number : timeNs);
        }
        StringBuilder json = new StringBuilder(JSON_NUMBER).append(number);
        json.append(JSON_TIME).append(timeNs).append(JSON_STOCKS);
        for (Stock stock : stocks) {
            stock.appendJson(json);
            json.append(',');
        }
        // Replaces the last comma.
        json.setLength(json.length() - 1);
        return json.append(JSON_END).toString();
    }

    private byte[] encodeBinary(long number, long timeNs, List<Stock> stocks) {
        if (!isOfStocks()) {
            return kind.equals("hello")
                    ? GREETING_BYTES.array().clone()
                    : ByteBuffer.allocate(Long.BYTES).putLong(hasNumber() ? number : timeNs).array();
        }
        ByteBuffer message = ByteBuffer.allocate(HEAD_BYTES + RECORD_BYTES * stocks.size());
        message.putLong(number).putLong(timeNs).putInt(stocks.size());
        for (Stock stock : stocks) {
            message.putDouble(stock.open()).putDouble(stock.high());
            message.putDouble(stock.low()).putDouble(stock.close()).putLong(stock.volume());
        }
        return message.array();
    }

    /** Returns the number and time of a text message; throws if it is not a message of this feed. */
    Heading decode(String text) throws WrongMessageException {
        expect(isText());
        if (kind.equals("hello")) {
            expect(text.equals(GREETING));
            return new Heading(Heading.NONE, Heading.NONE);
        }
        if (!isOfStocks()) {
            return headingOf(parse(text, 0, text.length()));
        }
        int numberEnd = text.indexOf(JSON_TIME);
        int timeEnd = text.indexOf(JSON_STOCKS);
        expect(text.startsWith(JSON_NUMBER) && 0 < numberEnd && numberEnd < timeEnd);
        expect(text.endsWith(JSON_END));
        long number = parse(text, JSON_NUMBER.length(), numberEnd);
        return check(number, parse(text, numberEnd + JSON_TIME.length(), timeEnd));
    }

    /** Returns the number and time of a binary message; throws if it is not a message of this feed. */
    Heading decode(ByteBuffer binary) throws WrongMessageException {
        expect(!isText());
        // A duplicate is big-endian and leaves the position of the original unchanged.
        ByteBuffer message = binary.duplicate();
        int size = message.remaining();
        if (kind.equals("hello")) {
            expect(message.equals(GREETING_BYTES));
            return new Heading(Heading.NONE, Heading.NONE);
        }
        if (!isOfStocks()) {
            expect(size == Long.BYTES);
            return headingOf(message.getLong());
        }
        expect(size >= HEAD_BYTES);
        Heading heading = check(message.getLong(), message.getLong());
        long records = Integer.toUnsignedLong(message.getInt());
        expect(size == HEAD_BYTES + RECORD_BYTES * records);
        return heading;
    }

    private Heading headingOf(long value) throws WrongMessageException {
        expect(value >= 0);
        return hasNumber() ? check(value, Heading.NONE) : new Heading(Heading.NONE, value);
    }

    /** Returns the parsed heading; throws if a number was too large and is therefore negative. */
    private Heading check(long number, long timeNs) throws WrongMessageException {
        expect(0 <= number && number < NUMBER_END);
        expect(timeNs >= 0 || !hasInstant());
        return new Heading(number, timeNs);
    }

    /** Parses a number without sign or leading zeros; 2^63 and more wrap to negative values. */
    private static long parse(String text, int start, int end) throws WrongMessageException {
        int digits = end - start;
        expect(0 < digits && digits <= DIGITS_MAX);
        expect(digits == 1 || text.charAt(start) != '0');
        long value = 0;
        for (int index = start; index < end; index++) {
            int digit = text.charAt(index) - '0';
            expect(0 <= digit && digit <= 9);
            value = value * 10 + digit;
        }
        return value;
    }

    private static void expect(boolean isRight) throws WrongMessageException {
        if (!isRight) {
            throw new WrongMessageException();
        }
    }
}
