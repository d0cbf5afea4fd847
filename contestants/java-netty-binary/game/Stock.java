// Reads the stock records of a feed from a CSV file: docs/published.md.

package game;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One record. */
record Stock(double open, double high, double low, double close, long volume) {
    private static final String HEAD = "date,open,high,low,close,volume";
    private static final Pattern LINE =
            Pattern.compile("[^,\\n]*" + ",([0-9]{1,7}\\.[0-9]{2})".repeat(4) + ",([0-9]{1,15})");

    /** Parses the content of a CSV file; throws an IllegalArgumentException if it is malformed. */
    static List<Stock> parse(String text) {
        String body = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
        String[] lines = body.split("\n", -1);
        if (!lines[0].equals(HEAD) || lines.length == 1) {
            throw new IllegalArgumentException("must have the line " + HEAD + " at its head, and records");
        }
        List<Stock> stocks = new ArrayList<>(lines.length - 1);
        for (int index = 1; index < lines.length; index++) {
            stocks.add(parseLine(lines[index]));
        }
        return stocks;
    }

    private static Stock parseLine(String line) {
        Matcher match = LINE.matcher(line);
        if (!match.matches()) {
            throw new IllegalArgumentException("has a line that is no record: '" + line + "'");
        }
        return new Stock(
                Double.parseDouble(match.group(1)),
                Double.parseDouble(match.group(2)),
                Double.parseDouble(match.group(3)),
                Double.parseDouble(match.group(4)),
                Long.parseLong(match.group(5)));
    }

    /** Appends the record as a JSON object; prices have two decimals. */
    void appendJson(StringBuilder json) {
        appendPrice(json.append("{\"open\":"), open);
        appendPrice(json.append(",\"high\":"), high);
        appendPrice(json.append(",\"low\":"), low);
        appendPrice(json.append(",\"close\":"), close);
        json.append(",\"volume\":").append(volume).append('}');
    }

    private static void appendPrice(StringBuilder json, double price) {
        long cents = Math.round(price * 100);
        json.append(cents / 100).append('.').append(cents / 10 % 10).append(cents % 10);
    }
}
