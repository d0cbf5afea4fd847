// What is spoken: each variant has a wire of its own.

import autostrada.kit.Audience;
import autostrada.kit.Message;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;

/** How a channel's pipeline is filled, a message is written, and a feed ends. */
interface Wire {
    void fill(ChannelPipeline pipeline, Audience<Channel, ChannelGroup> audience);

    Object encode(Message message);

    /** Ends all connections of a feed, whose last message may not be written yet, or is null. */
    void end(ChannelGroup members, ChannelGroupFuture last);
}
