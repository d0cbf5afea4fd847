// Receives messages with java.net.http.

import autostrada.kit.Receiver;
import autostrada.kit.Variables;
import java.net.ProtocolException;
import java.nio.ByteBuffer;

final class Client extends Connection {
    private final Receiver receiver;
    private Receiver.Connection connection;
    private boolean isClosing;

    private Client(Receiver receiver) {
        this.receiver = receiver;
    }

    @Override
    void opened() {
        connection = receiver.opened();
    }

    @Override
    void received(String message) {
        closeAfter(connection.received(message));
    }

    @Override
    void received(ByteBuffer message) {
        closeAfter(connection.received(message));
    }

    private void closeAfter(boolean isComplete) {
        if (isComplete && !isClosing) close();
        isClosing |= isComplete;
    }

    @Override
    void ended(Throwable error) {
        // The library has rejected a message.
        if (error instanceof ProtocolException) receiver.fail(error.getCause());
        receiver.closed();
    }

    private static void receive() throws InterruptedException {
        Receiver receiver = Receiver.fromEnvironment();
        for (int index = 0; index < receiver.connections; index++) {
            open(receiver.url, new Client(receiver), receiver::fail);
        }
        receiver.finish();
    }

    public static void main(String[] arguments) throws InterruptedException {
        switch (Variables.choose("WORKLOAD", "receive", "echo")) {
            case "echo" -> Echo.exchange();
            default -> receive();
        }
    }
}
