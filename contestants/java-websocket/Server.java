// Echoes messages and sends a feed with Java-WebSocket.

import autostrada.kit.Subscribers;
import autostrada.kit.ServerSettings;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.java_websocket.WebSocket;
import org.java_websocket.drafts.Draft_6455;
import org.java_websocket.extensions.permessage_deflate.PerMessageDeflateExtension;
import org.java_websocket.handshake.ClientHandshake;
import org.java_websocket.server.*;

final class Server extends WebSocketServer {
    private final ServerSettings settings;
    private final Subscribers<WebSocket, Set<WebSocket>> subscribers;

    private Server(ServerSettings settings, Draft_6455 draft) {
        super(new InetSocketAddress(settings.host(), settings.port()), List.of(draft));
        this.settings = settings;
        subscribers = Subscribers.of(settings, feed -> Feed.publish(this, feed));
        var tls = settings.tlsContext();
        if (tls != null) setWebSocketFactory(new DefaultSSLWebSocketServerFactory(tls));
    }

    @Override
    public void onOpen(WebSocket connection, ClientHandshake request) {
        boolean isSubscriber = request.getResourceDescriptor().equals("/feed");
        if (isSubscriber) connection.setAttachment(subscribers.join(connection));
    }

    @Override // Messages from subscribers are ignored.
    public void onMessage(WebSocket connection, String text) {
        if (connection.getAttachment() == null) connection.send(text);
    }

    @Override
    public void onMessage(WebSocket connection, ByteBuffer binary) {
        if (connection.getAttachment() == null) connection.send(binary);
    }

    @Override
    public void onClose(WebSocket connection, int code, String reason, boolean isRemote) {
        if (connection.getAttachment() instanceof Runnable leave) leave.run();
    }

    @Override
    public void onError(WebSocket connection, Exception error) {
        if (connection == null) settings.fail(error); // For a connection, onClose() follows.
    }

    @Override public void onStart() { Reminder.start(this); }

    public static void main(String[] arguments) {
        ServerSettings settings = ServerSettings.fromEnvironment();
        Draft_6455 deflate = new Draft_6455(new PerMessageDeflateExtension());
        new Server(settings, settings.hasDeflate() ? deflate : new Draft_6455()).run();
    }
}
