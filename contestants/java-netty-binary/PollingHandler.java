// Engine.IO over long-polling, with Netty: a GET waits for packets, a POST delivers some.

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.*;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

final class PollingHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private final SocketIo socketIo;
    private PollingSession session;

    PollingHandler(SocketIo socketIo) {
        this.socketIo = socketIo;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        Map<String, List<String>> query = new QueryStringDecoder(request.uri()).parameters();
        if (query.getOrDefault("transport", List.of()).contains("websocket")) {
            context.fireChannelRead(request.retain());
            context.pipeline().remove(this);
            return;
        }
        session = query.containsKey("sid") ? socketIo.polled.get(query.get("sid").get(0)) : open(context);
        if (session == null) throw new IllegalArgumentException("unknown session");
        if (request.method().equals(HttpMethod.GET)) {
            session.poll(context.channel());
        } else {
            for (WebSocketFrame packet : Payload.split(request.content())) session.receive(packet);
            context.writeAndFlush(Payload.response(Unpooled.copiedBuffer("ok", StandardCharsets.UTF_8)));
        }
    }

    private PollingSession open(ChannelHandlerContext context) {
        PollingSession opened = new PollingSession(socketIo, context.executor());
        socketIo.polled.put(opened.id, opened);
        opened.open();
        return opened;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (session != null) session.lose(context.channel());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (session != null) session.end();
        FullHttpResponse refused = Payload.response(Unpooled.EMPTY_BUFFER);
        refused.setStatus(HttpResponseStatus.BAD_REQUEST);
        context.writeAndFlush(refused).addListener(ChannelFutureListener.CLOSE);
    }
}
