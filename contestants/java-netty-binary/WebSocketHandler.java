// Engine.IO over WebSocket, with Netty: a frame is a packet.

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler.HandshakeComplete;

final class WebSocketHandler extends SimpleChannelInboundHandler<WebSocketFrame> {
    private final SocketIo socketIo;
    private WebSocketSession session;

    WebSocketHandler(SocketIo socketIo) {
        this.socketIo = socketIo;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof HandshakeComplete) {
            session = new WebSocketSession(socketIo, context.channel());
            session.open();
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
        session.receive(frame);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (session != null) session.end();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
