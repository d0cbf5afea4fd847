// Receives messages with Java-WebSocket.

import autostrada.kit.Receiver;
import autostrada.kit.Variables;
import java.nio.ByteBuffer;
import org.java_websocket.client.WebSocketClient;
import org.java_websocket.exceptions.InvalidDataException;
import org.java_websocket.handshake.ServerHandshake;

final class Client extends WebSocketClient {
    private final Receiver receiver;
    private Receiver.Connection connection;

    private Client(Receiver receiver) {
        super(receiver.url);
        this.receiver = receiver;
    }

    @Override
    public void onOpen(ServerHandshake response) {
        connection = receiver.opened();
    }

    @Override
    public void onMessage(String text) {
        if (connection.received(text)) close();
    }

    @Override
    public void onMessage(ByteBuffer binary) {
        if (connection.received(binary)) close();
    }

    @Override
    public void onClose(int code, String reason, boolean isRemote) {
        if (connection == null) receiver.fail(new IllegalStateException("not opened: " + reason));
        ClosingFrame.await(getSocket());
        receiver.closed();
    }

    @Override
    public void onError(Exception error) {
        // The handshake failed or the library rejected a message; other errors end a connection.
        if (connection == null || error instanceof InvalidDataException) receiver.fail(error);
    }

    private static void receive() throws InterruptedException {
        Receiver receiver = Receiver.fromEnvironment();
        for (int index = 0; index < receiver.connections; index++) new Client(receiver).connect();
        receiver.finish();
    }

    public static void main(String[] arguments) throws InterruptedException {
        switch (Variables.choose("WORKLOAD", "receive", "echo")) {
            case "echo" -> Echo.exchange();
            default -> receive();
        }
    }
}
