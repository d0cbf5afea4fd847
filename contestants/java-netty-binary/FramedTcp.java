// The binary protocol: four bytes of length, then the payload. The first message is the path.

import autostrada.kit.ServerSettings;
import game.Message;
import game.Subscribers;
import game.Work;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.*;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import java.nio.charset.StandardCharsets;

final class FramedTcp implements Wire {
    private static final int LENGTH_BYTES = 4;
    private static final int FRAME_BYTES_MAX = LENGTH_BYTES + ServerSettings.MESSAGE_BYTES_MAX;

    private static final class Handler extends Server<ByteBuf> {
        private Handler(Subscribers<Channel, ChannelGroup> subscribers, Work work) {
            super(subscribers, work);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            if (!isOpen()) {
                open(context, message.toString(StandardCharsets.UTF_8));
            } else if (isEcho()) {
                work();
                context.writeAndFlush(message.retain());
            }
        }
    }

    @Override
    public void fill(ChannelPipeline pipeline, Subscribers<Channel, ChannelGroup> subscribers, Work work) {
        pipeline.addLast(new LengthFieldBasedFrameDecoder(FRAME_BYTES_MAX, 0, LENGTH_BYTES, 0, LENGTH_BYTES))
                .addLast(new LengthFieldPrepender(LENGTH_BYTES))
                .addLast(new Handler(subscribers, work));
    }

    @Override
    public ByteBuf encode(Message message) {
        return message.isText()
                ? Unpooled.copiedBuffer(message.text(), StandardCharsets.UTF_8)
                : Unpooled.wrappedBuffer(message.binary());
    }

    @Override
    public void end(ChannelGroup subscribed, ChannelGroupFuture last) {
        for (Channel subscriber : subscribed) {
            ChannelFuture written = last == null ? null : last.find(subscriber);
            // A subscriber that joined after the last message has nothing to wait for.
            if (written == null) written = subscriber.newSucceededFuture();
            // Closing at once would discard buffered messages.
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }
}
