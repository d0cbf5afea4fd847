// The protocols of the server's variants.

import game.GameSettings;
import game.Message;
import game.Subscribers;
import game.Work;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.function.Consumer;

/** Fills a channel's pipeline, encodes messages, and ends a feed. */
interface Wire {
    void fill(ChannelPipeline pipeline, Subscribers<Channel, ChannelGroup> subscribers, Work work);

    Object encode(Message message);

    /** Ends all connections of a feed. {@code last} is the write of the last message, or null. */
    void end(ChannelGroup subscribed, ChannelGroupFuture last);

    /** Returns the function that fills the pipeline of each connection, as configured. */
    static Consumer<ChannelPipeline> filling(GameSettings settings) {
        if (settings.isSocketIo()) return new SocketIo(settings)::fill;
        Wire wire = settings.hasJsonPackets() ? new JsonWebSocket() : new FramedTcp();
        Subscribers<Channel, ChannelGroup> subscribers = new Subscribers<>(
                settings,
                () -> new DefaultChannelGroup(GlobalEventExecutor.INSTANCE),
                feed -> Feed.publish(feed, wire));
        Work work = settings.work();
        return pipeline -> wire.fill(pipeline, subscribers, work);
    }
}
