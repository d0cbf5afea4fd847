// Reads the JSON of the test vectors: objects, arrays, strings and whole numbers.

package autostrada.kit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

final class Json {
    private final String text;
    private int position;

    private Json(String text) {
        this.text = text;
    }

    static Object parse(String text) {
        return new Json(text).value();
    }

    private Object value() {
        char first = peek();
        if (first == '{') {
            return object();
        }
        if (first == '[') {
            return array();
        }
        return first == '"' ? string() : number();
    }

    private Map<String, Object> object() {
        Map<String, Object> object = new LinkedHashMap<>();
        for (expect('{'); peek() != '}'; skip(',')) {
            String key = string();
            expect(':');
            object.put(key, value());
        }
        expect('}');
        return object;
    }

    private List<Object> array() {
        List<Object> array = new ArrayList<>();
        for (expect('['); peek() != ']'; skip(',')) {
            array.add(value());
        }
        expect(']');
        return array;
    }

    private String string() {
        expect('"');
        StringBuilder string = new StringBuilder();
        for (char next = take(); next != '"'; next = take()) {
            // Supports only escaped quotes and backslashes.
            char character = next == '\\' ? take() : next;
            Check.equal("an escape", true, next != '\\' || character == '"' || character == '\\');
            string.append(character);
        }
        return string.toString();
    }

    private Long number() {
        int start = position;
        while (Character.isDigit(text.charAt(position))) {
            position += 1;
        }
        return Long.parseLong(text, start, position, 10);
    }

    private char peek() {
        while (Character.isWhitespace(text.charAt(position))) {
            position += 1;
        }
        return text.charAt(position);
    }

    private char take() {
        return text.charAt(position++);
    }

    private void expect(char expected) {
        Check.equal("at " + position, expected, peek());
        position += 1;
    }

    private void skip(char separator) {
        if (peek() == separator) {
            position += 1;
        }
    }
}
