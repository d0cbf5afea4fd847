// A session over one WebSocket connection: packets are its frames.

import io.netty.channel.Channel;
import io.netty.handler.codec.http.websocketx.*;
import io.netty.util.concurrent.Future;

final class WebSocketSession extends Session {
    private final Channel channel;

    WebSocketSession(SocketIo socketIo, Channel channel) {
        super(socketIo, channel.eventLoop());
        this.channel = channel;
    }

    @Override
    Future<?> send(WebSocketFrame... packets) {
        Future<?> written = null;
        // A duplicate has its own reader index, because several sessions send the same packet.
        for (WebSocketFrame packet : packets) written = channel.write(packet.retainedDuplicate());
        channel.flush();
        return written;
    }

    @Override
    boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    void end() {
        super.end();
        channel.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE));
    }
}
