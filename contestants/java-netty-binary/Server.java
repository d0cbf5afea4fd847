// Echoes, and feeds an audience, with Netty: over its binary socket, in JSON, or by long-polling.

import autostrada.kit.Audience;
import autostrada.kit.ServerSettings;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;

/** What the handlers of both wires have in common: one for each connection. */
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
        try {
            Listener.listen(settings, Wire.filling(settings));
        } catch (Exception error) {
            settings.fail(error);
        }
    }
}
