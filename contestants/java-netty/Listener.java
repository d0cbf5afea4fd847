// The handlers of a server's connection, in the order of Netty's example.

import autostrada.kit.ServerSettings;
import io.netty.channel.*;
import io.netty.handler.codec.http.*;
import io.netty.handler.codec.http.websocketx.*;
import io.netty.handler.codec.http.websocketx.extensions.compression.WebSocketServerCompressionHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.util.Set;
import javax.net.ssl.SSLException;

final class Listener extends ChannelInitializer<Channel> {
    private static final Set<String> PATHS = Set.of("/echo", "/publish", "/subscribe");
    private static final int REQUEST_BYTES_MAX = 65536;
    private static final int UNLIMITED = 0; // For decompression: the aggregator has the limit.

    private final ServerSettings settings;
    private final SslContext tls;

    Listener(ServerSettings settings) throws SSLException {
        this.settings = settings;
        boolean isPlain = settings.tlsCert() == null;
        tls = isPlain
                ? null
                : SslContextBuilder.forServer(settings.tlsCert().toFile(), settings.tlsKey().toFile()).build();
    }

    @Override
    protected void initChannel(Channel channel) {
        if (tls != null) channel.pipeline().addLast(tls.newHandler(channel.alloc()));
        channel.pipeline().addLast(
                new HttpServerCodec(), new HttpObjectAggregator(REQUEST_BYTES_MAX), new Requested());
    }

    /** Refuses other paths, and adds the handlers of this one. */
    private final class Requested extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            if (!PATHS.contains(request.uri())) {
                var refusal = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NOT_FOUND);
                context.writeAndFlush(refusal).addListener(ChannelFutureListener.CLOSE);
                return;
            }
            ChannelPipeline pipeline = context.pipeline();
            if (settings.hasDeflate()) pipeline.addLast(new WebSocketServerCompressionHandler(UNLIMITED));
            WebSocketServerProtocolConfig config = WebSocketServerProtocolConfig.newBuilder()
                    .websocketPath(request.uri())
                    .allowExtensions(settings.hasDeflate())
                    // The contract requires 16 MiB; the library's default is 64 KiB.
                    .maxFramePayloadLength(ServerSettings.MESSAGE_BYTES_MAX)
                    .build();
            pipeline.addLast(
                    new WebSocketServerProtocolHandler(config),
                    new WebSocketFrameAggregator(ServerSettings.MESSAGE_BYTES_MAX),
                    new Server(request.uri()));
            context.fireChannelRead(request.retain());
            pipeline.remove(this);
        }
    }
}
