// Feeds an audience over framed TCP with Netty.

import autostrada.kit.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import java.nio.charset.StandardCharsets;

final class Feed {
    private Feed() {}

    static void publish(autostrada.kit.Feed<ChannelGroup> feed) {
        ChannelGroup members = feed.members();
        ChannelGroupFuture written = null;
        for (Message message : feed) {
            written = members.writeAndFlush(bytesOf(message));
            // By default, for a member for which more than 64 KiB are kept.
            boolean isFull = feed.isContinuous() && !members.stream().allMatch(Channel::isWritable);
            if (isFull) written.awaitUninterruptibly();
        }
        for (Channel member : members) {
            ChannelFuture last = written == null ? null : written.find(member);
            // Who joined after the last message has nothing to wait for.
            if (last == null) last = member.newSucceededFuture();
            // Not at once: what is kept for a channel that is closed is not sent.
            last.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private static ByteBuf bytesOf(Message message) {
        return message.isText()
                ? Unpooled.copiedBuffer(message.text(), StandardCharsets.UTF_8)
                : Unpooled.wrappedBuffer(message.binary());
    }
}
