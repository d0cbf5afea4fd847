// Echoes messages and sends a feed with Netty.

import autostrada.kit.Subscribers;
import autostrada.kit.ServerSettings;
import autostrada.kit.Work;
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
    private final Work work;
    private boolean isSubscriber;

    private Server(Subscribers<Channel, ChannelGroup> subscribers, Work work) {
        this.subscribers = subscribers;
        this.work = work;
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
        if (isSubscriber) return;
        work.perform();
        context.writeAndFlush(frame.retain());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    public static void main(String[] arguments) {
        ServerSettings settings = ServerSettings.fromEnvironment();
        Subscribers<Channel, ChannelGroup> subscribers = new Subscribers<>(
                settings, () -> new DefaultChannelGroup(GlobalEventExecutor.INSTANCE), Feed::publish);
        Work work = settings.work();
        try {
            Listener.listen(settings, () -> new Server(subscribers, work));
        } catch (Exception error) {
            settings.fail(error);
        }
    }
}
