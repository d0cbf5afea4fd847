// Tests of a client's settings, of what it does after each message, and of its result.

package autostrada.kit;

import autostrada.kit.ClientRun.Action;
import java.io.IOException;
import java.util.List;
import java.util.Map;

final class ClientRunTest {
    private static long nowNs;

    /** A client in its own process, which receives one message. */
    public static void main(String[] arguments) throws InterruptedException {
        ClientRun run = ClientRun.fromEnvironment();
        if (run.connections == 1) run.opened().received("hello");
        for (int index = 0; index < run.connections; index++) run.ended();
        run.finish();
    }

    private static ClientRun start(Map<String, String> environment) {
        return new ClientRun(new Variables(environment), () -> nowNs);
    }

    static void aCountingClientClosesAfterItsLastMessage() {
        ClientRun run = start(Map.of("URL", "ws://host/2", "MESSAGES", "2", "CONNECTIONS", "2"));
        nowNs = 100;
        ClientRun.Connection first = run.opened();
        ClientRun.Connection second = run.opened();
        Tests.equal(Action.CONTINUE, first.received("one"));
        nowNs = 102;
        Tests.equal(Action.CLOSE, first.received("two"));
        nowNs = 103;
        Tests.equal(Action.CONTINUE, first.received("more"));
        second.received("one");
        String result = "{\"event\":\"result\",\"connections\":2,\"messages\":";
        Tests.equal(result + "3,\"opened_ns\":100,\"received_ns\":103}", run.result());
        second.received("two");
        nowNs = 104;
        Tests.equal(result + "4,\"opened_ns\":100,\"received_ns\":103}", run.result());
    }

    static void aReplyingClientRepliesUntilTheServerCloses() {
        ClientRun.Connection connection = start(Map.of("URL", "ws://host/1", "VERB", "reply", "MESSAGES", "1")).opened();
        Tests.equal(Action.REPLY, connection.received("one"));
        Tests.equal(Action.REPLY, connection.received("two"));
    }

    static void aWrongVariableIsNamed() {
        Tests.named("URL", () -> start(Map.of()));
        for (String url : List.of("", "host:8008", "http://host/5", "ws://", "ws://host:eight/")) {
            Tests.named("URL", () -> start(Map.of("URL", url)));
        }
        for (String name : List.of("MESSAGES", "CONNECTIONS", "VERB")) {
            for (String value : List.of("", "0", "-1", "1e6", "5\n", "٣", "9".repeat(16))) {
                Tests.named(name, () -> start(Map.of("URL", "wss://host", name, value)));
            }
        }
    }

    static void aProgramPrintsItsResultOrTheReasonWithoutOne() throws IOException, InterruptedException {
        expectEnd("0 {\"event\":\"result\",\"connections\":1,\"messages\":1,", "URL=ws://host/5");
        expectEnd("1 cannot receive from ws://host/5: a connection", "URL=ws://host/5", "CONNECTIONS=2");
        expectEnd("2 VERB must be count or reply", "URL=ws://host/5", "VERB=echo");
        expectEnd("2 SSL_CERT_FILE must have certificates", "URL=wss://host/5", "SSL_CERT_FILE=none.pem");
    }

    private static void expectEnd(String expected, String... variables) throws IOException, InterruptedException {
        String classes = System.getProperty("java.class.path");
        ProcessBuilder program =
                new ProcessBuilder("java", "-cp", classes, ClientRunTest.class.getName()).redirectErrorStream(true);
        for (String each : variables) program.environment().put(each.split("=")[0], each.split("=")[1]);
        Process started = program.start();
        String printed = new String(started.getInputStream().readAllBytes());
        String ended = started.waitFor() + " " + printed;
        Tests.equal(expected, ended.substring(0, Math.min(expected.length(), ended.length())));
        Tests.equal(1L, printed.lines().count());
    }
}
