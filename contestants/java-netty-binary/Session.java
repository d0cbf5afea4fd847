// A session of Engine.IO 4, and in it a namespace of Socket.IO, whatever carries its packets.

import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.websocketx.*;
import io.netty.util.concurrent.*;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

abstract class Session {
    // As Engine.IO's own server has them.
    private static final int PING_INTERVAL_MS = 25_000;
    private static final int PING_TIMEOUT_MS = 20_000;

    final String id = UUID.randomUUID().toString();
    private final Namespace namespace;
    private final EventExecutor timers;
    private Future<?> timer;

    Session(SocketIo socketIo, EventExecutor timers) {
        this.timers = timers;
        namespace = new Namespace(this, socketIo.subscribers);
    }

    /** Sends packets in a row; the future is done when they are written, or never will be. */
    abstract Future<?> send(WebSocketFrame... packets);

    abstract boolean isWritable();

    synchronized void open() {
        send(new TextWebSocketFrame(String.format(
                "0{\"sid\":\"%s\",\"upgrades\":[],\"pingInterval\":%d,\"pingTimeout\":%d,\"maxPayload\":%d}",
                id, PING_INTERVAL_MS, PING_TIMEOUT_MS, SocketIo.PACKET_BYTES_MAX)));
        timer = timers.schedule(this::ping, PING_INTERVAL_MS, TimeUnit.MILLISECONDS);
    }

    /** Takes in a packet, or throws an IllegalArgumentException where it is none. */
    synchronized void receive(WebSocketFrame packet) {
        if (packet instanceof TextWebSocketFrame frame) {
            String text = frame.text();
            switch (text.isEmpty() ? "" : text.substring(0, 1)) {
                case "1" -> end();
                case "3" -> answered();
                case "4" -> namespace.receive(text.substring(1));
                default -> throw new IllegalArgumentException("no packet of Engine.IO");
            }
        } else {
            namespace.receiveAttachment(ByteBufUtil.getBytes(packet.content()));
        }
    }

    /** Notes that nothing comes or goes any more. */
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
