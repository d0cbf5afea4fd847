// Tests of a client's settings.

package autostrada.kit;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

final class SettingsTest {
    private static final Map<String, String> RECEIVE = Map.of("URL", "ws://127.0.0.1:8008/5", "MESSAGES", "5");
    private static final Map<String, String> ECHO = Map.of("URL", "ws://127.0.0.1:8008/echo", "WINDOW_S", "2");
    private static final String NONE = null; // Not set.

    private SettingsTest() {}

    /** Runs in its own process with a wrong environment. */
    public static void main(String[] arguments) {
        Variables.readOrExit(Settings::read);
    }

    static void aWrongEnvironmentEndsTheProgramWithStatus2AndOneLine()
            throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = System.getProperty("java.class.path");
        ProcessBuilder program = new ProcessBuilder(java, "-cp", classes, SettingsTest.class.getName());
        program.environment().clear();
        program.environment().putAll(with(RECEIVE, "MESSAGES", "ten"));
        Process started = program.start();
        byte[] stderr = started.getErrorStream().readAllBytes();
        String[] lines = new String(stderr, StandardCharsets.UTF_8).split("\n");
        Check.equal(2, started.waitFor());
        Check.equal(1, lines.length);
        Check.equal("MESSAGES", lines[0].split(" ")[0]);
    }

    static void readsTheEnvironment() {
        URI url = URI.create("ws://127.0.0.1:8008/5");
        Check.equal(new Settings(url, 5, 1, "json", null), Settings.read(new Variables(RECEIVE)));
        Map<String, String> more = with(RECEIVE, "CONNECTIONS", "3");
        Settings settings = Settings.read(new Variables(with(more, "LINES", "autoroute")));
        Check.equal(new Settings(url, 5, 3, "autoroute", null), settings);
        settings = Settings.read(new Variables(with(with(RECEIVE, "FEED", "clock"), "MESSAGES", NONE)));
        FeedFormat feed = new FeedFormat("clock", "json");
        Check.equal(new Settings(url, Settings.UNLIMITED, 1, "json", feed), settings);
    }

    static void namesTheVariableThatIsMissingOrIllFormed() {
        String[][] cases = {
            {"URL", NONE},
            {"URL", ""},
            {"URL", "127.0.0.1:8008"},
            {"URL", "http://127.0.0.1:8008/5"},
            {"URL", "ws://"},
            {"URL", "ws://127.0.0.1:eight/"},
            {"MESSAGES", NONE},
            {"MESSAGES", ""},
            {"MESSAGES", "0"},
            {"MESSAGES", "-1"},
            {"MESSAGES", "1_000"},
            {"MESSAGES", "1e6"},
            {"MESSAGES", "٣"},
            {"MESSAGES", "5\n"},
            {"MESSAGES", "9".repeat(16)},
            {"CONNECTIONS", "0"},
            {"CONNECTIONS", "two"},
            {"LINES", "JSON"},
            {"LINES", ""},
        };
        expectNamed(RECEIVE, Settings::read, cases);
    }

    static void readsWhatAnExchangeAsksFor() {
        URI url = URI.create("ws://127.0.0.1:8008/echo");
        Check.equal(
                new EchoSettings(url, 1, "hello world", 0, 2_000_000_000L),
                EchoSettings.read(new Variables(ECHO)));
        Map<String, String> all = with(with(ECHO, "WARM_UP_S", "0.5"), "CONNECTIONS", "3");
        all = with(with(all, "PAYLOAD", "grüezi"), "WINDOW_S", "1.000000001");
        Check.equal(
                new EchoSettings(url, 3, "grüezi", 500_000_000, 1_000_000_001),
                EchoSettings.read(new Variables(all)));
    }

    static void namesTheVariableOfAnExchangeThatIsMissingOrIllFormed() {
        String[][] cases = {
            {"URL", NONE},
            {"CONNECTIONS", "0"},
            {"WARM_UP_S", "-1"},
            {"WARM_UP_S", "1e3"},
            {"WARM_UP_S", ""},
            {"WINDOW_S", NONE},
            {"WINDOW_S", "0"},
            {"WINDOW_S", "0.0"},
            {"WINDOW_S", "nan"},
            {"WINDOW_S", "1000000"},
        };
        expectNamed(ECHO, EchoSettings::read, cases);
    }

    private static <T> void expectNamed(
            Map<String, String> environment, Function<Variables, T> read, String[][] cases) {
        for (String[] each : cases) {
            Variables variables = new Variables(with(environment, each[0], each[1]));
            Check.names(each[0], () -> read.apply(variables));
        }
    }

    private static Map<String, String> with(Map<String, String> environment, String variable, String value) {
        Map<String, String> changed = new HashMap<>(environment);
        if (value == null) {
            changed.remove(variable);
        } else {
            changed.put(variable, value);
        }
        return changed;
    }
}
