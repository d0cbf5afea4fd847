// Socket.IO over Engine.IO 4, on one port with long-polling and WebSocket.

import autostrada.kit.ServerSettings;
import game.GameSettings;
import game.Message;
import game.Subscribers;
import game.Work;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.*;
import io.netty.handler.codec.http.websocketx.*;
import io.netty.util.concurrent.Future;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

final class SocketIo {
    static final String PATH = "/socket.io/";
    /** Required by the contract: JSON escapes characters, and Base64 is longer than its bytes. */
    static final int PACKET_BYTES_MAX = 2 * ServerSettings.MESSAGE_BYTES_MAX;

    final Subscribers<Session, Set<Session>> subscribers;
    final Work work;
    /** Sessions over long-polling, by session ID. */
    final Map<String, PollingSession> polled = new ConcurrentHashMap<>();

    SocketIo(GameSettings settings) {
        subscribers = Subscribers.of(settings, SocketIo::publish);
        work = settings.work();
    }

    void fill(ChannelPipeline pipeline) {
        WebSocketServerProtocolConfig config = WebSocketServerProtocolConfig.newBuilder()
                .websocketPath(PATH)
                .checkStartsWith(true)
                .maxFramePayloadLength(PACKET_BYTES_MAX)
                .build();
        pipeline.addLast(new HttpServerCodec())
                .addLast(new HttpServerKeepAliveHandler())
                .addLast(new HttpObjectAggregator(PACKET_BYTES_MAX))
                .addLast(new PollingHandler(this))
                .addLast(new WebSocketServerProtocolHandler(config))
                .addLast(new WebSocketFrameAggregator(PACKET_BYTES_MAX))
                .addLast(new WebSocketHandler(this));
    }

    private static void publish(game.Feed<Set<Session>> feed) {
        for (Message message : feed) {
            WebSocketFrame[] packets = Event.encode("/feed", message);
            for (Session subscriber : feed.subscribed()) {
                Future<?> written = subscriber.send(packets);
                if (feed.isContinuous() && !subscriber.isWritable()) written.awaitUninterruptibly();
            }
        }
        // A client that receives this packet closes the session.
        for (Session subscriber : feed.subscribed()) subscriber.send(new TextWebSocketFrame("41/feed,"));
    }
}
