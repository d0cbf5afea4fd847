// Exchanges echoes with Java-WebSocket.

import autostrada.kit.Exchanger;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.java_websocket.client.WebSocketClient;
import org.java_websocket.handshake.ServerHandshake;

final class Echo extends WebSocketClient {
    private final Exchanger exchanger;
    private Exchanger.Exchange exchange;

    private Echo(Exchanger exchanger) {
        super(exchanger.url);
        this.exchanger = exchanger;
    }

    @Override
    public void onOpen(ServerHandshake response) {
        exchange = exchanger.opened();
        send(exchanger.payload);
    }

    @Override
    public void onMessage(String text) {
        sendNextOrClose(exchange.answered(text));
    }

    @Override
    public void onMessage(ByteBuffer binary) {
        sendNextOrClose(exchange.answered(binary));
    }

    private void sendNextOrClose(boolean isOngoing) {
        // On another thread: the reading thread would end the connection during a write.
        if (isOngoing) send(exchanger.payload);
        else CompletableFuture.runAsync(this::close);
    }

    @Override
    public void onClose(int code, String reason, boolean isRemote) {
        boolean isOver = exchange != null && exchange.isOver();
        if (!isOver) exchanger.fail(new IOException("closed with " + code + " " + reason));
        exchanger.closed();
    }

    @Override
    public void onError(Exception error) {
        boolean isOver = exchange != null && exchange.isOver();
        if (!isOver) exchanger.fail(error);
    }

    static void exchange() throws InterruptedException {
        Exchanger exchanger = Exchanger.fromEnvironment();
        for (int index = 0; index < exchanger.connections; index++) new Echo(exchanger).connect();
        exchanger.finish();
    }
}
