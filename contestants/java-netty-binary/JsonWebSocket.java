// The same packets as JSON, over WebSocket.

import autostrada.kit.ServerSettings;
import game.Message;
import game.Subscribers;
import game.Work;
import io.netty.buffer.Unpooled;
import io.netty.channel.*;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.*;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler.HandshakeComplete;

final class JsonWebSocket implements Wire {
    private static final int REQUEST_BYTES_MAX = 65536;

    private static final class Handler extends Server<WebSocketFrame> {
        private Handler(Subscribers<Channel, ChannelGroup> subscribers, Work work) {
            super(subscribers, work);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof HandshakeComplete opened) open(context, opened.requestUri());
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
            if (!isEcho()) return;
            byte[] event = frame instanceof TextWebSocketFrame text ? Packet.parse(text.text()) : null;
            work();
            context.writeAndFlush(event == null ? frame.retain() : new TextWebSocketFrame(Packet.json(event)));
        }
    }

    @Override
    public void fill(ChannelPipeline pipeline, Subscribers<Channel, ChannelGroup> subscribers, Work work) {
        WebSocketServerProtocolConfig config = WebSocketServerProtocolConfig.newBuilder()
                .websocketPath("/")
                .checkStartsWith(true)
                // The contract requires 16 MiB; the library's default is 64 KiB.
                .maxFramePayloadLength(ServerSettings.MESSAGE_BYTES_MAX)
                .build();
        pipeline.addLast(new HttpServerCodec())
                .addLast(new HttpObjectAggregator(REQUEST_BYTES_MAX))
                .addLast(new WebSocketServerProtocolHandler(config))
                .addLast(new WebSocketFrameAggregator(ServerSettings.MESSAGE_BYTES_MAX))
                .addLast(new Handler(subscribers, work));
    }

    @Override
    public WebSocketFrame encode(Message message) {
        return message.isText()
                ? new TextWebSocketFrame(message.text())
                : new BinaryWebSocketFrame(Unpooled.wrappedBuffer(message.binary()));
    }

    @Override
    public void end(ChannelGroup subscribed, ChannelGroupFuture last) {
        subscribed.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE));
    }
}
