// Opens connections with Netty, each with its own handler.

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

final class Connector implements AutoCloseable {
    // Required by the contract; the library's default is 64 KiB.
    private static final int PAYLOAD_BYTES_MAX = 16 * 1024 * 1024;
    private static final int RESPONSE_BYTES_MAX = 8192;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());

    void connect(URI url, int connections, Supplier<ChannelHandler> handlers, Consumer<Throwable> fail) {
        WebSocketClientProtocolConfig config = WebSocketClientProtocolConfig.newBuilder()
                .webSocketUri(url)
                .maxFramePayloadLength(PAYLOAD_BYTES_MAX)
                .handleCloseFrames(false) // The library would close without an answer.
                .build();
        ChannelInitializer<Channel> initializer = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline()
                        .addLast(new HttpClientCodec())
                        .addLast(new HttpObjectAggregator(RESPONSE_BYTES_MAX))
                        .addLast(new WebSocketClientProtocolHandler(config))
                        .addLast(new WebSocketFrameAggregator(PAYLOAD_BYTES_MAX))
                        .addLast(new Closing())
                        .addLast(handlers.get());
            }
        };
        Bootstrap bootstrap =
                new Bootstrap().group(group).channel(NioSocketChannel.class).handler(initializer);
        for (int index = 0; index < connections; index++) {
            bootstrap.connect(url.getHost(), url.getPort() < 0 ? 80 : url.getPort()).addListener(opened -> {
                if (!opened.isSuccess()) fail.accept(opened.cause());
            });
        }
    }

    private static final class Closing extends SimpleChannelInboundHandler<CloseWebSocketFrame> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, CloseWebSocketFrame frame) {
            // Sends a close frame first, if none was sent.
            context.channel().close();
        }
    }

    @Override
    public void close() {
        // Without a quiet period, because all connections are closed.
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
}
