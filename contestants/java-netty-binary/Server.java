// Echoes messages and sends a feed with Netty: binary, as JSON, or over long-polling.

import game.GameSettings;
import game.Subscribers;
import game.Work;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;

/** The shared base of the handlers of both wires: one handler per connection. */
abstract class Server<M> extends SimpleChannelInboundHandler<M> {
    private final Subscribers<Channel, ChannelGroup> subscribers;
    private final Work work;
    private String path;

    Server(Subscribers<Channel, ChannelGroup> subscribers, Work work) {
        this.subscribers = subscribers;
        this.work = work;
    }

    /** Performs the work of one event. */
    void work() {
        work.perform();
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
            // The group removes a channel when it is closed.
            subscribers.join(context.channel());
        } else if (!isEcho()) {
            context.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    public static void main(String[] arguments) {
        GameSettings settings = GameSettings.fromEnvironment();
        try {
            Listener.listen(settings.server(), Wire.filling(settings));
        } catch (Exception error) {
            settings.server().fail(error);
        }
    }
}
