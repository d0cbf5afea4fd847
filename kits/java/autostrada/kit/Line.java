// The lines that a program prints: docs/contract.md, clause 2.1.

package autostrada.kit;

import java.util.Map;
import java.util.stream.Collectors;

/** Lines, written and printed. */
final class Line {
    private Line() {}

    /** Prints a line at once. */
    static void print(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** Returns an object of names, numbers, objects and nulls as JSON. */
    static String json(Object value) {
        if (value instanceof Map<?, ?> object) {
            return object.entrySet().stream()
                    .map(entry -> "\"" + entry.getKey() + "\":" + json(entry.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        return value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
    }
}
