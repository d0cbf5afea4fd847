// Runs all tests of the kit in the kit's folder: each static method of a test class is a test.

package autostrada.kit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;

final class Tests {
    private static final List<Class<?>> CLASSES = List.of(
            VectorsTest.class,
            ReceiverTest.class,
            ExchangerTest.class,
            FeedTest.class,
            PreloadTest.class,
            SettingsTest.class,
            ServerSettingsTest.class,
            WorkTest.class);

    private Tests() {}

    public static void main(String[] arguments) throws IllegalAccessException {
        int failed = 0;
        for (Class<?> tests : CLASSES) {
            for (Method test : tests.getDeclaredMethods()) {
                if (isTest(test) && !passes(test)) {
                    failed += 1;
                }
            }
        }
        System.exit(failed == 0 ? 0 : 1);
    }

    private static boolean isTest(Method method) {
        boolean isOurs = !Modifier.isPrivate(method.getModifiers()) && !method.isSynthetic();
        return isOurs && Modifier.isStatic(method.getModifiers()) && method.getParameterCount() == 0;
    }

    private static boolean passes(Method test) throws IllegalAccessException {
        try {
            test.invoke(null);
            return true;
        } catch (InvocationTargetException error) {
            System.err.println(test.getDeclaringClass().getSimpleName() + "." + test.getName());
            error.getCause().printStackTrace();
            return false;
        }
    }
}
