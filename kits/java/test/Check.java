// Assertions of the tests.

package autostrada.kit;

import java.util.Objects;

final class Check {
    private Check() {}

    static void equal(Object expected, Object actual) {
        equal("", expected, actual);
    }

    static void equal(String what, Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError(what + " expected " + expected + ", got " + actual);
        }
    }

    /** Expects a SettingsException with a one-line message that begins with the variable's name. */
    static void names(String variable, Runnable reading) {
        try {
            reading.run();
        } catch (SettingsException error) {
            boolean isNamed = error.getMessage().startsWith(variable + " ");
            equal(error.getMessage(), true, isNamed && !error.getMessage().contains("\n"));
            return;
        }
        throw new AssertionError(variable + " was taken");
    }
}
