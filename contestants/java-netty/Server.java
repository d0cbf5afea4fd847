// Serves with Netty, as its example shows: a handler gets each frame of a connection. Subscribers are
// a ChannelGroup, as in the example of the secure chat.

import autostrada.kit.ServerSettings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.*;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler.HandshakeComplete;
import io.netty.util.concurrent.GlobalEventExecutor;

final class Server extends SimpleChannelInboundHandler<WebSocketFrame> {
    private static final ChannelGroup SUBSCRIBERS = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

    private final String path;

    Server(String path) { this.path = path; }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        boolean isSubscriber = event instanceof HandshakeComplete && path.equals("/subscribe");
        if (isSubscriber) SUBSCRIBERS.add(context.channel()); // The group removes it when it is closed.
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
        switch (path) {
            case "/echo" -> context.writeAndFlush(frame.retain());
            case "/publish" -> SUBSCRIBERS.writeAndFlush(frame.retain());
            default -> {} // What a subscriber sends is ignored.
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    public static void main(String[] arguments) {
        ServerSettings settings = ServerSettings.fromEnvironment();
        try {
            new ServerBootstrap()
                    .group(new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory()))
                    .channel(NioServerSocketChannel.class)
                    .childHandler(new Listener(settings))
                    .bind(settings.host(), settings.port())
                    .sync();
        } catch (Exception error) {
            settings.fail(error);
        }
    }
}
