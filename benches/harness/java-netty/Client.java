// The smallest program that receives with Netty.

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.*;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.*;
import java.net.URI;

final class Client extends SimpleChannelInboundHandler<TextWebSocketFrame> {
    private static final int MESSAGES = Integer.parseInt(System.getenv("MESSAGES"));

    private int count;

    @Override
    protected void channelRead0(ChannelHandlerContext context, TextWebSocketFrame frame) {
        if (!frame.text().isEmpty()) count++;
        if (count == MESSAGES) {
            context.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE));
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        URI url = URI.create(System.getenv("URL"));
        WebSocketClientProtocolConfig config =
                WebSocketClientProtocolConfig.newBuilder().webSocketUri(url).build();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        Bootstrap bootstrap = new Bootstrap().group(group).channel(NioSocketChannel.class);
        bootstrap.handler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(
                        new HttpClientCodec(),
                        new HttpObjectAggregator(8192),
                        new WebSocketClientProtocolHandler(config),
                        new Client());
            }
        });
        Channel channel = bootstrap.connect(url.getHost(), url.getPort()).sync().channel();
        channel.closeFuture().sync();
        group.shutdownGracefully();
    }
}
