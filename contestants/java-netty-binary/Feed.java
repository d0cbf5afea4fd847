// Feeds an audience with Netty.

import autostrada.kit.Message;
import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;

final class Feed {
    private Feed() {}

    static void publish(autostrada.kit.Feed<ChannelGroup> feed, Wire wire) {
        ChannelGroup members = feed.members();
        ChannelGroupFuture written = null;
        for (Message message : feed) {
            written = members.writeAndFlush(wire.encode(message));
            // By default, for a member for which more than 64 KiB are kept.
            boolean isFull = feed.isContinuous() && !members.stream().allMatch(Channel::isWritable);
            if (isFull) written.awaitUninterruptibly();
        }
        wire.end(members, written);
    }
}
