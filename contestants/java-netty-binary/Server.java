// Echoes, and feeds an audience, with Netty: over its binary socket, or in JSON.

import autostrada.kit.Audience;
import autostrada.kit.ServerSettings;
import autostrada.kit.Variables;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;

/** What the handlers of all wires have in common: one for each connection. */
abstract class Server<M> extends SimpleChannelInboundHandler<M> {
    private final Audience<Channel, ChannelGroup> audience;
    private String path;

    Server(Audience<Channel, ChannelGroup> audience) {
        this.audience = audience;
    }

    boolean isOpen() {
        return path != null;
    }

    boolean isEcho() {
        return "/echo".equals(path);
    }

    void open(ChannelHandlerContext context, String path) {
        this.path = path;
        if (path.equals("/feed")) {
            // A group drops a channel that is closed.
            audience.join(context.channel());
        } else if (!isEcho()) {
            context.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    public static void main(String[] arguments) {
        ServerSettings settings = ServerSettings.fromEnvironment();
        boolean isJson = Variables.choose("PACKETS", "binary", "json").equals("json");
        Wire wire = isJson ? new JsonWebSocket() : new FramedTcp();
        Audience<Channel, ChannelGroup> audience = new Audience<>(
                settings,
                () -> new DefaultChannelGroup(GlobalEventExecutor.INSTANCE),
                feed -> Feed.publish(feed, wire));
        try {
            Listener.listen(settings, pipeline -> wire.fill(pipeline, audience));
        } catch (Exception error) {
            settings.fail(error);
        }
    }
}
