// Reads the environment variables of a client that receives: docs/contract.md, sections 3 and 7.

package autostrada.kit;

import java.net.URI;

/** Settings of a client that receives. Without a feed to check, {@code feed} is null. */
record Settings(URI url, long messages, int connections, String lines, FeedFormat feed) {
    /** Value of {@code messages} for a client that receives until the server closes. */
    static final long UNLIMITED = Long.MAX_VALUE;

    static Settings read(Variables variables) {
        FeedFormat feed = FeedFormat.read(variables);
        boolean isUnlimited = feed != null && !variables.has("MESSAGES");
        return new Settings(
                variables.readUrl(),
                isUnlimited ? UNLIMITED : variables.readCount("MESSAGES", null),
                (int) variables.readCount("CONNECTIONS", "1", Integer.MAX_VALUE),
                feed != null ? "json" : variables.readChoice("LINES", "json", "autoroute"),
                feed);
    }
}
