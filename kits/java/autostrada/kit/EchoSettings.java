// Reads the environment variables of a client that exchanges echoes: docs/contract.md, section 5.

package autostrada.kit;

import java.net.URI;

/** Settings of a client that exchanges echoes. Durations are in nanoseconds. */
record EchoSettings(URI url, int connections, String payload, long warmUpNs, long windowNs) {
    static EchoSettings read(Variables variables) {
        long windowNs = variables.readTimeNs("WINDOW_S");
        return new EchoSettings(
                variables.readUrl(),
                (int) variables.readCount("CONNECTIONS", "1", Integer.MAX_VALUE),
                variables.read("PAYLOAD", "hello world"),
                variables.readDurationNs("WARM_UP_S", "0"),
                windowNs);
    }
}
