// An Engine.IO 4 session with one Socket.IO namespace, independent of its transport.

import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.websocketx.*;
import io.netty.util.concurrent.*;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

abstract class Session {
    // The defaults of Engine.IO's own server.
    private static final int PING_INTERVAL_MS = 25_000;
    private static final int PING_TIMEOUT_MS = 20_000;

    final String id = UUID.randomUUID().toString();
    private final Namespace namespace;
    private final EventExecutor timers;
    private Future<?> timer;

    Session(SocketIo socketIo, EventExecutor timers) {
        this.timers = timers;
        namespace = new Namespace(this, socketIo);
    }

    /** Sends packets in order. The future completes when they are written or can no longer be. */
    abstract Future<?> send(WebSocketFrame... packets);

    abstract boolean isWritable();

    synchronized void open() {
        send(new TextWebSocketFrame(String.format(
                "0{\"sid\":\"%s\",\"upgrades\":[],\"pingInterval\":%d,\"pingTimeout\":%d,\"maxPayload\":%d}",
                id, PING_INTERVAL_MS, PING_TIMEOUT_MS, SocketIo.PACKET_BYTES_MAX)));
        timer = timers.schedule(this::ping, PING_INTERVAL_MS, TimeUnit.MILLISECONDS);
    }

    /** Handles a received packet; throws an IllegalArgumentException if it is malformed. */
    synchronized void receive(WebSocketFrame packet) {
        if (packet instanceof TextWebSocketFrame frame) {
            String text = frame.text();
            switch (text.isEmpty() ? "" : text.substring(0, 1)) {
                case "1" -> end();
                case "3" -> answered();
                case "4" -> namespace.receive(text.substring(1));
                default -> throw new IllegalArgumentException("not an Engine.IO packet");
            }
        } else {
            namespace.receiveAttachment(ByteBufUtil.getBytes(packet.content()));
        }
    }

    /** Ends the session: no packets are received or sent after this. */
    synchronized void end() {
        timer.cancel(false);
        namespace.leave();
    }

    private synchronized void ping() {
        send(new TextWebSocketFrame("2"));
        timer = timers.schedule(this::end, PING_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    private void answered() {
        timer.cancel(false);
        timer = timers.schedule(this::ping, PING_INTERVAL_MS, TimeUnit.MILLISECONDS);
    }
}
