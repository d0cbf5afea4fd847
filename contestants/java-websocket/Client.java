// Receives messages with Java-WebSocket, as its README shows: a subclass with a method for each event.

import autostrada.kit.ClientRun;
import java.nio.ByteBuffer;
import org.java_websocket.client.WebSocketClient;
import org.java_websocket.exceptions.InvalidDataException;
import org.java_websocket.handshake.ServerHandshake;

final class Client extends WebSocketClient {
    private final ClientRun run;
    private ClientRun.Connection counted;

    private Client(ClientRun run) {
        super(run.url);
        this.run = run;
    }

    @Override public void onOpen(ServerHandshake response) { counted = run.opened(); }

    @Override
    public void onMessage(String text) {
        switch (counted.received(text)) {
            case REPLY -> send(text);
            case CLOSE -> close();
            default -> {}
        }
    }

    @Override
    public void onMessage(ByteBuffer binary) {
        switch (counted.received(binary)) {
            case REPLY -> send(binary);
            case CLOSE -> close();
            default -> {}
        }
    }

    @Override
    public void onClose(int code, String reason, boolean isRemote) {
        if (counted == null) run.fail(new IllegalStateException("not opened: " + reason));
        ClosingFrame.await(getSocket());
        run.ended();
    }

    @Override
    public void onError(Exception error) {
        // The handshake failed or the library rejected a message; other errors end a connection.
        if (counted == null || error instanceof InvalidDataException) run.fail(error);
    }

    public static void main(String[] arguments) throws InterruptedException {
        ClientRun run = ClientRun.fromEnvironment();
        for (int index = 0; index < run.connections; index++) new Client(run).connect();
        run.finish();
    }
}
