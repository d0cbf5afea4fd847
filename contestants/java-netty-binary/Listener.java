// Accepts connections with Netty, each with its own pipeline.

import autostrada.kit.ServerSettings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;

final class Listener extends ChannelInitializer<Channel> {
    private final Consumer<ChannelPipeline> fill;
    private final SslContext tls;

    private Listener(ServerSettings settings, Consumer<ChannelPipeline> fill) throws SSLException {
        this.fill = fill;
        tls = settings.tlsCert() != null
                ? SslContextBuilder.forServer(settings.tlsCert().toFile(), settings.tlsKey().toFile()).build()
                : null;
    }

    @Override
    protected void initChannel(Channel channel) {
        if (tls != null) channel.pipeline().addLast(tls.newHandler(channel.alloc()));
        fill.accept(channel.pipeline());
    }

    static void listen(ServerSettings settings, Consumer<ChannelPipeline> fill) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new Listener(settings, fill))
                .bind(settings.host(), settings.port())
                .sync();
    }
}
