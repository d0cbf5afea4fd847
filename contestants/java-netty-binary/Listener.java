// Accepts connections of framed TCP with Netty, each with a handler of its own.

import autostrada.kit.ServerSettings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;

final class Listener extends ChannelInitializer<Channel> {
    private static final int LENGTH_BYTES = 4;
    private static final int FRAME_BYTES_MAX = LENGTH_BYTES + ServerSettings.PAYLOAD_BYTES_MAX;

    private final Supplier<ChannelHandler> handlers;
    private final SslContext tls;

    private Listener(ServerSettings settings, Supplier<ChannelHandler> handlers) throws SSLException {
        this.handlers = handlers;
        tls = settings.hasTls()
                ? SslContextBuilder.forServer(settings.tlsCert().toFile(), settings.tlsKey().toFile()).build()
                : null;
    }

    @Override
    protected void initChannel(Channel channel) {
        if (tls != null) channel.pipeline().addLast(tls.newHandler(channel.alloc()));
        channel.pipeline()
                .addLast(new LengthFieldBasedFrameDecoder(FRAME_BYTES_MAX, 0, LENGTH_BYTES, 0, LENGTH_BYTES))
                .addLast(new LengthFieldPrepender(LENGTH_BYTES))
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
