// Receives messages with LIBRARY, as its documentation shows.

import autostrada.kit.ClientRun;

final class Client {
    private final ClientRun run;
    private ClientRun.Connection counted;

    private Client(ClientRun run) {
        this.run = run;
        // LIBRARY: open a connection to run.url, without compression, for messages of up to
        // ServerSettings.MESSAGE_BYTES_MAX.
        // LIBRARY: call opened, received and ended; if it cannot connect, or refuses a message, call run.fail(error).
        run.fail(new UnsupportedOperationException("Client.java lacks the calls of the library"));
    }

    void opened() {
        counted = run.opened();
    }

    void received(String text) {
        switch (counted.received(text)) {
            case REPLY -> {} // LIBRARY: send the message back.
            case CLOSE -> {} // LIBRARY: start the closing handshake with code 1000.
            default -> {}
        }
    }

    void ended() {
        run.ended();
    }

    public static void main(String[] arguments) throws InterruptedException {
        ClientRun run = ClientRun.fromEnvironment();
        for (int index = 0; index < run.connections; index++) new Client(run);
        run.finish();
    }
}
