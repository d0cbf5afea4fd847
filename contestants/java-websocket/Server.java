// Serves with Java-WebSocket, as its README shows: a subclass with a method for each event.

import autostrada.kit.ServerSettings;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import org.java_websocket.WebSocket;
import org.java_websocket.drafts.*;
import org.java_websocket.exceptions.InvalidDataException;
import org.java_websocket.extensions.permessage_deflate.PerMessageDeflateExtension;
import org.java_websocket.framing.CloseFrame;
import org.java_websocket.handshake.*;
import org.java_websocket.server.*;

final class Server extends WebSocketServer {
    private final ServerSettings settings;
    private final Set<WebSocket> subscribers = ConcurrentHashMap.newKeySet();
    private Server(ServerSettings settings, Draft draft) {
        super(new InetSocketAddress(settings.host(), settings.port()), List.of(draft));
        this.settings = settings;
        var tls = settings.tlsContext();
        if (tls != null) setWebSocketFactory(new DefaultSSLWebSocketServerFactory(tls));
    }

    @Override public ServerHandshakeBuilder onWebsocketHandshakeReceivedAsServer(
            WebSocket connection, Draft draft, ClientHandshake request) throws InvalidDataException {
        boolean isKnown = Set.of("/echo", "/publish", "/subscribe").contains(request.getResourceDescriptor());
        if (!isKnown) throw new InvalidDataException(CloseFrame.POLICY_VALIDATION, "no such path");
        return super.onWebsocketHandshakeReceivedAsServer(connection, draft, request);
    }

    @Override public void onStart() { Reminder.start(this); }
    @Override public void onOpen(WebSocket connection, ClientHandshake request) {
        if (request.getResourceDescriptor().equals("/subscribe")) subscribers.add(connection);
    }

    @Override public void onMessage(WebSocket connection, String text) {
        if (connection.getResourceDescriptor().equals("/echo")) connection.send(text);
        else if (connection.getResourceDescriptor().equals("/publish")) broadcast(text, subscribers);
    }

    @Override public void onMessage(WebSocket connection, ByteBuffer binary) {
        if (connection.getResourceDescriptor().equals("/echo")) connection.send(binary);
        else if (connection.getResourceDescriptor().equals("/publish")) broadcast(binary, subscribers);
    }

    @Override public void onClose(WebSocket connection, int code, String reason, boolean isRemote) {
        subscribers.remove(connection);
    }
    @Override public void onError(WebSocket connection, Exception error) {
        if (connection == null) settings.fail(error); // For a connection, onClose() follows.
    }

    public static void main(String[] arguments) {
        ServerSettings settings = ServerSettings.fromEnvironment();
        Draft draft = settings.hasDeflate() ? new Draft_6455(new PerMessageDeflateExtension()) : new Draft_6455();
        new Server(settings, draft).run();
    }
}
