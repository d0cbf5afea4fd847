// Reads and validates single environment variables.

package autostrada.kit;

import java.net.URI;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** The variables of the environment. */
public final class Variables {
    private Variables() {}

    /** Thrown if a variable is missing or wrong; the reason begins with its name. */
    public static final class WrongException extends RuntimeException {
        private static final long serialVersionUID = 1;

        public WrongException(String reason) {
            super(reason.replace("\n", "\\n"));
        }
    }

    /** Reads settings; if a variable is wrong, exits with status 2 and the reason. */
    public static <T> T readOrExit(Supplier<T> read) {
        try {
            return read.get();
        } catch (WrongException error) {
            Exit.with(2, error.getMessage());
            throw error;
        }
    }

    /** Returns what is made from variables; if that is impossible, they are wrong. */
    static <T> T make(String reason, Callable<T> maker) {
        try {
            return maker.call();
        } catch (Exception error) {
            throw new WrongException(reason + ": " + error);
        }
    }

    public static boolean has(String variable) {
        return System.getenv().containsKey(variable);
    }

    /** Reads a variable; if {@code fallback} is null, the variable is required. */
    public static String read(String variable, String fallback) {
        String value = System.getenv().getOrDefault(variable, fallback);
        if (value == null) {
            throw new WrongException(variable + " is missing: set it in the environment");
        }
        return value;
    }

    /** Reads URL, the server's address. */
    static URI readUrl() {
        String text = read("URL", null);
        return make("URL must be like ws://127.0.0.1:8008/1000, not '" + text + "'", () -> {
            URI url = new URI(text);
            // The host is null if the port is not a number.
            if (!Set.of("ws", "wss").contains(url.getScheme()) || url.getHost() == null) {
                throw new IllegalArgumentException("this is no address of a WebSocket");
            }
            return url;
        });
    }

    /** Reads a whole number from 1 to {@code maximum}. */
    public static long readCount(String variable, String fallback, long maximum) {
        String value = read(variable, fallback);
        if (!value.matches("[1-9][0-9]{0,14}") || Long.parseLong(value) > maximum) {
            String range = " must be a whole number from 1 to " + Math.min(maximum, 999_999_999_999_999L);
            throw new WrongException(variable + range + ", not '" + value + "'");
        }
        return Long.parseLong(value);
    }

    /** Reads a variable with a fixed set of values; the first one is the default. */
    public static String readChoice(String variable, String... choices) {
        String value = read(variable, choices[0]);
        if (!Arrays.asList(choices).contains(value)) {
            String allowed = String.join(" or ", choices);
            throw new WrongException(variable + " must be " + allowed + ", not '" + value + "'");
        }
        return value;
    }
}
