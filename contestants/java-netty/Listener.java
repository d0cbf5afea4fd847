// Accepts connections with Netty, each with its own handler.

import autostrada.kit.ServerSettings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.handler.codec.http.websocketx.extensions.compression.WebSocketServerCompressionHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;

final class Listener extends ChannelInitializer<Channel> {
    private static final int REQUEST_BYTES_MAX = 65536;

    private final Supplier<ChannelHandler> handlers;
    private final boolean hasDeflate;
    private final SslContext tls;
    private final WebSocketServerProtocolConfig config;

    private Listener(ServerSettings settings, Supplier<ChannelHandler> handlers) throws SSLException {
        this.handlers = handlers;
        hasDeflate = settings.hasDeflate();
        tls = settings.hasTls()
                ? SslContextBuilder.forServer(settings.tlsCert().toFile(), settings.tlsKey().toFile()).build()
                : null;
        WebSocketDecoderConfig decoder = WebSocketDecoderConfig.newBuilder()
                // The contract requires 16 MiB; the library's default is 64 KiB.
                .maxFramePayloadLength(ServerSettings.PAYLOAD_BYTES_MAX)
                .allowExtensions(hasDeflate)
                .build();
        config = WebSocketServerProtocolConfig.newBuilder()
                .websocketPath("/")
                .checkStartsWith(true)
                .decoderConfig(decoder)
                .build();
    }

    @Override
    protected void initChannel(Channel channel) {
        if (tls != null) channel.pipeline().addLast(tls.newHandler(channel.alloc()));
        channel.pipeline()
                .addLast(new HttpServerCodec())
                .addLast(new HttpObjectAggregator(REQUEST_BYTES_MAX));
        if (hasDeflate) {
            int unlimited = 0; // The aggregator enforces the limit.
            channel.pipeline().addLast(new WebSocketServerCompressionHandler(unlimited));
        }
        channel.pipeline()
                .addLast(new WebSocketServerProtocolHandler(config))
                .addLast(new WebSocketFrameAggregator(ServerSettings.PAYLOAD_BYTES_MAX))
                .addLast(handlers.get());
    }

    static void listen(ServerSettings settings, Supplier<ChannelHandler> handlers) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new Listener(settings, handlers))
                .bind(settings.host(), settings.port())
                .sync();
    }
}
