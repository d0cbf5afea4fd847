// Tests of a server's settings.

package autostrada.kit;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

final class ServerSettingsTest {
    private static final String STOCKS_FILE = "../stocks.csv";

    private ServerSettingsTest() {}

    static void aPortIsEnough() {
        ServerSettings settings = read();
        Check.equal(new ServerSettings("127.0.0.1", 8008, null, null, 1, false, 0, null), settings);
        Check.equal(null, settings.tlsContext());
    }

    static void readsAll() {
        ServerSettings settings = read(
                "HOST", "127.0.0.2",
                "WORKERS", "2",
                "COMPRESSION", "deflate",
                "WORK_US", "200",
                "FEED", "stocks",
                "ENCODING", "binary",
                "STOCKS", "3",
                "STOCKS_FILE", STOCKS_FILE,
                "SUBSCRIBERS", "8",
                "EVERY_MS", "0.5",
                "SECONDS", "1.5");
        FeedSettings feed = new FeedSettings(
                new FeedFormat("stocks", "binary"),
                3,
                Path.of(STOCKS_FILE),
                8,
                500_000,
                1_500_000_000,
                FeedSettings.UNLIMITED);
        Check.equal(new ServerSettings("127.0.0.2", 8008, null, null, 2, true, 200, feed), settings);
    }

    static void namesTheVariableThatIsMissingOrWrong() {
        Check.names("PORT", () -> read("PORT", "0"));
        Check.names("PORT", () -> read("PORT", "65536"));
        Check.names("WORKERS", () -> read("WORKERS", "0"));
        Check.names("COMPRESSION", () -> read("COMPRESSION", "gzip"));
        Check.names("WORK_US", () -> read("WORK_US", "0"));
        Check.names("WORK_US", () -> read("WORK_US", "1000001"));
        Check.names("TLS_KEY", () -> read("TLS_CERT", "certificate.pem"));
        Check.names("TLS_CERT", () -> read("TLS_KEY", "key.pem"));
        Check.names("TLS_CERT", () -> read("TLS_CERT", "none.pem", "TLS_KEY", "none.pem"));
        Check.names("TLS_CERT", () -> read("TLS_CERT", "kit.toml", "TLS_KEY", "kit.toml"));
        Check.names("FEED", () -> read("FEED", "weather", "MESSAGES", "1"));
        Check.names("ENCODING", () -> read("FEED", "hello", "ENCODING", "xml", "MESSAGES", "1"));
        Check.names("MESSAGES", () -> read("FEED", "hello"));
        Check.names("MESSAGES", () -> read("FEED", "hello", "MESSAGES", "1", "SECONDS", "1"));
        Check.names("SECONDS", () -> read("FEED", "hello", "SECONDS", "0"));
        Check.names("EVERY_MS", () -> read("FEED", "hello", "MESSAGES", "1", "EVERY_MS", "0"));
        Check.names("SUBSCRIBERS", () -> read("FEED", "hello", "MESSAGES", "1", "SUBSCRIBERS", "0"));
        Check.names("STOCKS", () -> read("FEED", "hello", "MESSAGES", "1", "STOCKS", "1000001"));
        Check.names("STOCKS_FILE", () -> read("FEED", "stocks", "MESSAGES", "1"));
        for (String file : new String[] {"/none.csv", "kit.toml", "."}) {
            Check.names("STOCKS_FILE", () -> read("FEED", "stocks", "MESSAGES", "1", "STOCKS_FILE", file));
        }
    }

    private static ServerSettings read(String... further) {
        Map<String, String> environment = new HashMap<>(Map.of("PORT", "8008"));
        for (int index = 0; index < further.length; index += 2) {
            environment.put(further[index], further[index + 1]);
        }
        return ServerSettings.read(new Variables(environment));
    }
}
