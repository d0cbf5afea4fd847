// Runs all tests of the kit in its folder: each method of a test class without parameters is a test.

package autostrada.kit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;

final class Tests {
    public static void main(String[] arguments) throws IllegalAccessException {
        int failed = 0;
        for (Class<?> tests : List.of(ClientRunTest.class, ServerSettingsTest.class)) {
            for (Method test : tests.getDeclaredMethods()) {
                try {
                    if (test.getParameterCount() == 0 && !test.isSynthetic()) test.invoke(null);
                } catch (InvocationTargetException error) {
                    error.getCause().printStackTrace();
                    failed += 1;
                }
            }
        }
        System.exit(failed == 0 ? 0 : 1);
    }

    static void equal(Object expected, Object actual) {
        if (!expected.equals(actual)) throw new AssertionError("expected " + expected + ", got " + actual);
    }

    /** Expects a reason of one line that begins with the variable's name. */
    static void named(String variable, Runnable reading) {
        try {
            reading.run();
        } catch (Variables.WrongException error) {
            equal(variable, error.getMessage().split(" ")[0]);
            equal(1L, error.getMessage().lines().count());
            return;
        }
        throw new AssertionError(variable + " was taken");
    }
}
