// Echoes, and feeds an audience, over framed TCP with Netty.

import autostrada.kit.Audience;
import autostrada.kit.ServerSettings;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.nio.charset.StandardCharsets;

final class Server extends SimpleChannelInboundHandler<ByteBuf> {
    private final Audience<Channel, ChannelGroup> audience;
    private String path;

    private Server(Audience<Channel, ChannelGroup> audience) {
        this.audience = audience;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
        if (path == null) {
            path = message.toString(StandardCharsets.UTF_8);
            open(context);
        } else if (path.equals("/echo")) {
            context.writeAndFlush(message.retain());
        }
    }

    private void open(ChannelHandlerContext context) {
        switch (path) {
            case "/echo" -> {}
            // A group drops a channel that is closed.
            case "/feed" -> audience.join(context.channel());
            default -> context.close();
        }
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
