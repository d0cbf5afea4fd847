// Echoes, and feeds an audience, with Netty.

import autostrada.kit.Audience;
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
    private final Audience<Channel, ChannelGroup> audience;
    private boolean isMember;

    private Server(Audience<Channel, ChannelGroup> audience) {
        this.audience = audience;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof HandshakeComplete opened && opened.requestUri().equals("/feed")) {
            isMember = true;
            // A group drops a channel that is closed.
            audience.join(context.channel());
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
        if (!isMember) context.writeAndFlush(frame.retain());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    public static void main(String[] arguments) {
        ServerSettings settings = ServerSettings.fromEnvironment();
        Audience<Channel, ChannelGroup> audience = new Audience<>(
                settings, () -> new DefaultChannelGroup(GlobalEventExecutor.INSTANCE), Feed::publish);
        try {
            Listener.listen(settings, () -> new Server(audience));
        } catch (Exception error) {
            settings.fail(error);
        }
    }
}
