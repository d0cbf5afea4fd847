// Formats and prints the lines of a program: docs/published.md.

package game;

import java.util.Map;
import java.util.stream.Collectors;

/** Formats and prints lines. */
final class Line {
    private Line() {}

    /** Prints a line and flushes it. */
    static void print(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** Returns a map, number, string or null as JSON. */
    static String json(Object value) {
        if (value instanceof Map<?, ?> object) {
            return object.entrySet().stream()
                    .map(entry -> "\"" + entry.getKey() + "\":" + json(entry.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        return value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
    }
}
