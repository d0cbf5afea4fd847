// Serves with Undertow, as its documentation shows: a handler for each path, whose connections get a listener.

import autostrada.kit.ServerSettings;
import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.websockets.WebSocketProtocolHandshakeHandler;
import io.undertow.websockets.core.*;
import io.undertow.websockets.extensions.PerMessageDeflateHandshake;
import java.util.Set;
import java.util.function.Function;

/** Sends each message to the receivers of its connection. */
final class Server extends AbstractReceiveListener {
    private final Set<WebSocketChannel> receivers;

    private Server(Set<WebSocketChannel> receivers) { this.receivers = receivers; }

    @Override protected void onFullTextMessage(WebSocketChannel from, BufferedTextMessage message) {
        String text = message.getData();
        for (WebSocketChannel each : receivers) WebSockets.sendText(text, each, null);
    }

    @Override protected void onFullBinaryMessage(WebSocketChannel from, BufferedBinaryMessage message) {
        var pooled = message.getData();
        try {
            var bytes = WebSockets.mergeBuffers(pooled.getResource());
            for (WebSocketChannel each : receivers) WebSockets.sendBinary(bytes.duplicate(), each, null);
        } finally {
            pooled.close();
        }
    }

    public static void main(String[] arguments) {
        ServerSettings settings = ServerSettings.fromEnvironment();
        var echo = handler(settings, connection -> Set.of(connection));
        var subscribe = handler(settings, connection -> Set.of());
        var publish = handler(settings, connection -> subscribe.getPeerConnections());
        var builder = Undertow.builder().setHandler(Handlers.path()
                .addExactPath("/echo", echo).addExactPath("/publish", publish).addExactPath("/subscribe", subscribe));
        if (settings.tlsContext() == null) builder.addHttpListener(settings.port(), settings.host());
        else builder.addHttpsListener(settings.port(), settings.host(), settings.tlsContext());
        try {
            builder.build().start();
        } catch (RuntimeException error) {
            settings.fail(error);
        }
    }

    private static WebSocketProtocolHandshakeHandler handler(
            ServerSettings settings, Function<WebSocketChannel, Set<WebSocketChannel>> receivers) {
        var handler = Handlers.websocket((exchange, connection) -> {
            connection.getReceiveSetter().set(new Server(receivers.apply(connection)));
            connection.resumeReceives();
        });
        return settings.hasDeflate() ? handler.addExtension(new PerMessageDeflateHandshake()) : handler;
    }
}
