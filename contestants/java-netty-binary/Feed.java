// Sends a feed to subscribers with Netty.

import game.Message;
import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;

final class Feed {
    private Feed() {}

    static void publish(game.Feed<ChannelGroup> feed, Wire wire) {
        ChannelGroup subscribed = feed.subscribed();
        ChannelGroupFuture written = null;
        for (Message message : feed) {
            written = subscribed.writeAndFlush(wire.encode(message));
            // A channel with more than 64 KiB of buffered bytes is not writable, by default.
            boolean isFull = feed.isContinuous() && !subscribed.stream().allMatch(Channel::isWritable);
            if (isFull) written.awaitUninterruptibly();
        }
        wire.end(subscribed, written);
    }
}
