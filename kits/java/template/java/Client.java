// Receives with LIBRARY.

import autostrada.kit.Receiver;

final class Client {
    private final Receiver receiver;
    private Receiver.Connection connection;

    private Client(Receiver receiver) {
        this.receiver = receiver;
        // LIBRARY: open a connection to receiver.url, without compression, for messages of up to 16 MiB.
        // LIBRARY: call opened, received and closed; if it cannot connect, call receiver.fail(error).
        receiver.fail(new UnsupportedOperationException("Client.java lacks the calls of the library"));
    }

    void opened() {
        connection = receiver.opened();
    }

    void received(String text) {
        if (connection.received(text)) {
            // LIBRARY: start the closing handshake with code 1000.
        }
    }

    void closed() {
        receiver.closed();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Receiver receiver = Receiver.fromEnvironment();
        for (int index = 0; index < receiver.connections; index++) new Client(receiver);
        receiver.finish();
    }
}
