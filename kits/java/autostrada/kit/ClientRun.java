// Counts what a client receives, tells it what to do then, and prints its result: docs/contract.md,
// section 3.

package autostrada.kit;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;

/**
 * The settings of a client, and its connections.
 *
 * <p>Call {@code opened} for each connection, {@code received} on the returned object for each
 * message, {@code ended} for each connection that has ended, and {@code finish} to wait until all
 * have ended. Call {@code fail}, from any thread, if a connection cannot be opened or the library
 * refuses a message.
 */
public final class ClientRun {
    /** What a client does after a message; to close, it starts the closing handshake with code 1000. */
    public enum Action { CONTINUE, REPLY, CLOSE }

    private static final long NOT_YET = 0;

    public final URI url;
    public final int connections;

    /** The file with the certificates that the client trusts; null for those of the JVM. */
    public final File trusted;

    private final Action usual;
    private final long wanted;
    private final CountDownLatch left;
    private final List<Connection> opened = new ArrayList<>();
    private long openedNs;

    private ClientRun() {
        url = Variables.readUrl();
        connections = (int) Variables.readCount("CONNECTIONS", "1", Integer.MAX_VALUE);
        boolean isReplying = Variables.readChoice("VERB", "count", "reply").equals("reply");
        usual = isReplying ? Action.REPLY : Action.CONTINUE;
        boolean isLimited = Variables.has("MESSAGES") && !isReplying;
        wanted = isLimited ? Variables.readCount("MESSAGES", null, Long.MAX_VALUE) : Long.MAX_VALUE;
        boolean isTrusting = url.getScheme().equals("wss") && Variables.has("SSL_CERT_FILE");
        trusted = isTrusting ? new File(Variables.read("SSL_CERT_FILE", null)) : null;
        left = new CountDownLatch(connections);
    }

    /** Reads the environment variables, or exits with status 2 and the reason if one is wrong. */
    public static ClientRun fromEnvironment() {
        return Variables.readOrExit(() -> {
            ClientRun run = new ClientRun();
            if (run.trusted != null) {
                // The JVM does not read the variable.
                SSLContext.setDefault(Variables.make(
                        "SSL_CERT_FILE must have certificates", () -> Tls.client(run.trusted.toPath())));
            }
            return run;
        });
    }

    /** Registers an open connection; call it as soon as the library reports that it is open. */
    public synchronized Connection opened() {
        if (opened.isEmpty()) {
            // On Linux, it reads CLOCK_MONOTONIC.
            openedNs = System.nanoTime();
        }
        Connection connection = new Connection(usual, wanted);
        opened.add(connection);
        return connection;
    }

    /** Registers that a connection has ended. */
    public void ended() {
        left.countDown();
    }

    /** Waits until all connections have ended, prints the result, and ends the program. */
    public void finish() throws InterruptedException {
        left.await();
        if (opened.size() < connections) {
            fail(new IOException("a connection ended before it was open"));
        }
        System.out.println(result());
        System.out.flush();
        // The threads of some libraries would keep the program alive.
        Runtime.getRuntime().halt(0);
    }

    /** Exits with a one-line reason why nothing can be received. */
    public void fail(Throwable error) {
        Exit.with(1, "cannot receive from " + url + ": " + Exit.reason(error));
    }

    private synchronized String result() {
        long messages = 0;
        long receivedNs = 0;
        for (Connection each : opened) {
            messages += each.messages;
            receivedNs = Math.max(receivedNs, each.receivedNs == NOT_YET ? System.nanoTime() : each.receivedNs);
        }
        return "{\"event\":\"result\",\"connections\":" + opened.size() + ",\"messages\":" + messages
                + ",\"opened_ns\":" + openedNs + ",\"received_ns\":" + receivedNs + "}";
    }

    /** Counts the messages of one connection. Only one thread at a time may count. */
    public static final class Connection {
        private final Action usual;
        private final long wanted;
        private long messages;
        private long receivedNs = NOT_YET;

        private Connection(Action usual, long wanted) {
            this.usual = usual;
            this.wanted = wanted;
        }

        /** Counts a message, which is an argument so that the program holds it as clause 3.5 says. */
        public Action received(Object message) {
            if (messages == wanted) {
                return Action.CONTINUE; // The library may deliver more while the connection closes.
            }
            messages += 1;
            if (messages < wanted) {
                return usual;
            }
            receivedNs = System.nanoTime();
            return Action.CLOSE;
        }
    }
}
