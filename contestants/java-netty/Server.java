// Echoes messages and sends a feed with Netty.

import autostrada.kit.Subscribers;
import autostrada.kit.ServerSettings;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler.HandshakeComplete;
import io.netty.util.concurrent.GlobalEventExecutor;

final class Server extends SimpleChannelInboundHandler<WebSocketFrame> {
    private final Subscribers<Channel, ChannelGroup> subscribers;
    private boolean isSubscriber;

    private Server(Subscribers<Channel, ChannelGroup> subscribers) {
        this.subscribers = subscribers;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof HandshakeComplete opened && opened.requestUri().equals("/feed")) {
            isSubscriber = true;
            // The group removes a channel when it is closed.
            subscribers.join(context.channel());
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
        if (!isSubscriber) context.writeAndFlush(frame.retain());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    public static void main(String[] arguments) {
        ServerSettings settings = ServerSettings.fromEnvironment();
        Subscribers<Channel, ChannelGroup> subscribers = new Subscribers<>(
                settings, () -> new DefaultChannelGroup(GlobalEventExecutor.INSTANCE), Feed::publish);
        try {
            Listener.listen(settings, () -> new Server(subscribers));
        } catch (Exception error) {
            settings.fail(error);
        }
    }
}
