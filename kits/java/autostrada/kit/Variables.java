// Reads and validates single environment variables.

package autostrada.kit;

import java.math.BigDecimal;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** The variables of the environment, or of a test. */
public final class Variables {
    private static final long COUNT_MAX = 999_999_999_999_999L;

    private final Map<String, String> environment;

    Variables(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Returns a variable with a fixed set of values; the first one is the default. */
    public static String choose(String variable, String... choices) {
        return readOrExit(variables -> variables.readChoice(variable, choices));
    }

    /** Reads settings; if a variable is wrong, exits with status 2 and the reason. */
    static <T> T readOrExit(Function<Variables, T> readFrom) {
        try {
            return readFrom.apply(new Variables(System.getenv()));
        } catch (SettingsException error) {
            Exit.with(2, error.getMessage());
            throw error;
        }
    }

    boolean has(String variable) {
        return environment.containsKey(variable);
    }

    /** Reads a required variable. */
    String read(String variable) {
        return read(variable, null);
    }

    /** Reads a variable; if {@code fallback} is null, the variable is required. */
    String read(String variable, String fallback) {
        String value = environment.getOrDefault(variable, fallback);
        if (value == null) {
            throw new SettingsException(variable + " is missing: set it in the environment");
        }
        return value;
    }

    /** Reads URL, the server's address. */
    URI readUrl() {
        String text = read("URL");
        try {
            URI url = new URI(text);
            // The host is null if the port is not a number.
            if (Set.of("ws", "wss").contains(String.valueOf(url.getScheme())) && url.getHost() != null) {
                return url;
            }
        } catch (URISyntaxException error) {
            // Reported below, like other errors.
        }
        throw new SettingsException("URL must be like ws://127.0.0.1:8008/1000, not " + quote(text));
    }

    /** Reads a whole number of at least 1. */
    long readCount(String variable, String fallback) {
        return readCount(variable, fallback, COUNT_MAX);
    }

    /** Reads a whole number from 1 to {@code maximum}. */
    long readCount(String variable, String fallback, long maximum) {
        String value = read(variable, fallback);
        if (!value.matches("[1-9][0-9]{0,14}")) {
            throw new SettingsException(variable + " must be a whole number from 1, not " + quote(value));
        }
        long count = Long.parseLong(value);
        if (count > maximum) {
            throw new SettingsException(variable + " must be at most " + maximum + ", not " + value);
        }
        return count;
    }

    /** Reads a number of seconds; returns nanoseconds. */
    long readDurationNs(String variable, String fallback) {
        String value = read(variable, fallback);
        if (!value.matches("[0-9]{1,6}(\\.[0-9]{1,9})?")) {
            throw new SettingsException(variable + " must be seconds like 2 or 0.5, not " + quote(value));
        }
        return new BigDecimal(value).movePointRight(9).longValueExact();
    }

    /** Reads a number of seconds greater than 0; returns nanoseconds. */
    long readTimeNs(String variable) {
        long durationNs = readDurationNs(variable, null);
        if (durationNs == 0) {
            throw new SettingsException(variable + " must be more than 0: nothing would count");
        }
        return durationNs;
    }

    /** Reads EVERY_MS, the interval of a schedule; returns nanoseconds. */
    long readIntervalNs() {
        String value = read("EVERY_MS");
        if (value.matches("[0-9]{1,7}(\\.[0-9]{1,6})?")) {
            long intervalNs = new BigDecimal(value).movePointRight(6).longValueExact();
            if (intervalNs > 0) {
                return intervalNs;
            }
        }
        throw new SettingsException("EVERY_MS must be milliseconds like 50 or 0.5, not " + quote(value));
    }

    /** Reads a variable with a fixed set of values; the first one is the default. */
    String readChoice(String variable, String... choices) {
        String value = read(variable, choices[0]);
        if (!Arrays.asList(choices).contains(value)) {
            String allowed = String.join(" or ", choices);
            throw new SettingsException(variable + " must be " + allowed + ", not " + quote(value));
        }
        return value;
    }

    private static String quote(String value) {
        return "'" + value.replace("\n", "\\n") + "'";
    }
}
