// Bots with Java-WebSocket.

import autostrada.kit.Bot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.java_websocket.client.WebSocketClient;
import org.java_websocket.handshake.ServerHandshake;

final class Bots extends WebSocketClient {
    private final autostrada.kit.Bots bots;
    private Bot bot;

    private Bots(autostrada.kit.Bots bots) {
        super(bots.url);
        this.bots = bots;
    }

    @Override
    public void onOpen(ServerHandshake response) {
        // On another thread: the one that reads would end the connection while the other one writes.
        bot = bots.opened(this::send, () -> CompletableFuture.runAsync(this::close));
    }

    @Override
    public void onMessage(String text) {
        bot.answered(text);
    }

    @Override
    public void onMessage(ByteBuffer binary) {
        bot.answered(binary);
    }

    @Override
    public void onClose(int code, String reason, boolean isRemote) {
        boolean isOver = bot != null && bot.isOver();
        if (!isOver) bots.fail(new IOException("closed with " + code + " " + reason));
        bots.closed();
    }

    @Override
    public void onError(Exception error) {
        boolean isOver = bot != null && bot.isOver();
        if (!isOver) bots.fail(error);
    }

    static void sendWhenDue() throws InterruptedException {
        autostrada.kit.Bots bots = autostrada.kit.Bots.fromEnvironment();
        for (int index = 0; index < bots.connections; index++) new Bots(bots).connect();
        bots.finish();
    }
}
