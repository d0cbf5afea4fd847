// Sends a feed to subscribers with Netty.

import autostrada.kit.Message;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.handler.codec.http.websocketx.*;

final class Feed {
    private Feed() {}

    static void publish(autostrada.kit.Feed<ChannelGroup> feed) {
        ChannelGroup subscribed = feed.subscribed();
        for (Message message : feed) {
            ChannelGroupFuture written = subscribed.writeAndFlush(frameOf(message));
            // A channel with more than 64 KiB of buffered bytes is not writable, by default.
            boolean isFull = feed.isContinuous() && !subscribed.stream().allMatch(Channel::isWritable);
            if (isFull) written.awaitUninterruptibly();
        }
        subscribed.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE));
    }

    private static WebSocketFrame frameOf(Message message) {
        return message.isText()
                ? new TextWebSocketFrame(message.text())
                : new BinaryWebSocketFrame(Unpooled.wrappedBuffer(message.binary()));
    }
}
