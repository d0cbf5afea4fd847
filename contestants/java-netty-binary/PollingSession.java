// A session over HTTP requests: packets wait for the next poll.

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.websocketx.*;
import io.netty.util.concurrent.*;

final class PollingSession extends Session {
    /** Bytes that a session may buffer; Netty's default limit for a writable channel. */
    private static final int KEPT_BYTES_MAX = 65536;

    private final SocketIo socketIo;
    private ByteBuf body = Unpooled.buffer();
    private Promise<Void> written = ImmediateEventExecutor.INSTANCE.newPromise();
    private Channel poll;

    PollingSession(SocketIo socketIo, EventExecutor timers) {
        super(socketIo, timers);
        this.socketIo = socketIo;
    }

    @Override
    synchronized Future<?> send(WebSocketFrame... packets) {
        for (WebSocketFrame packet : packets) Payload.append(body, packet);
        Future<?> future = written;
        respond();
        return future;
    }

    @Override
    synchronized boolean isWritable() {
        return body.readableBytes() < KEPT_BYTES_MAX;
    }

    @Override
    synchronized void end() {
        super.end();
        socketIo.polled.remove(id);
        // Ends the wait for packets to be written.
        written.trySuccess(null);
        if (poll != null) send(new TextWebSocketFrame("6"));
    }

    synchronized void poll(Channel channel) {
        if (poll != null) throw new IllegalArgumentException("concurrent polls of a session");
        poll = channel;
        respond();
    }

    synchronized void lose(Channel channel) {
        if (poll != channel) return;
        poll = null;
        end();
    }

    private void respond() {
        if (poll == null || !body.isReadable()) return;
        Promise<Void> done = written;
        poll.writeAndFlush(Payload.response(body)).addListener(any -> done.trySuccess(null));
        poll = null;
        body = Unpooled.buffer();
        written = ImmediateEventExecutor.INSTANCE.newPromise();
    }
}
