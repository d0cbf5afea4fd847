// Exchanges echoes with Netty.

import autostrada.kit.Exchanger;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.websocketx.*;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent;
import java.io.IOException;

final class Echo extends SimpleChannelInboundHandler<WebSocketFrame> {
    private final Exchanger exchanger;
    private Exchanger.Exchange exchange;

    private Echo(Exchanger exchanger) {
        this.exchanger = exchanger;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event != ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) return;
        exchange = exchanger.opened();
        context.writeAndFlush(new TextWebSocketFrame(exchanger.payload));
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
        boolean isOngoing = frame instanceof TextWebSocketFrame text
                ? exchange.answered(text.text())
                : exchange.answered(frame.content().nioBuffer());
        context.writeAndFlush(isOngoing
                ? new TextWebSocketFrame(exchanger.payload)
                : new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (!isOver()) exchanger.fail(new IOException("closed by the server"));
        exchanger.closed();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!isOver()) exchanger.fail(cause);
    }

    private boolean isOver() {
        return exchange != null && exchange.isOver();
    }

    static void exchange(Connector connector) throws InterruptedException {
        Exchanger exchanger = Exchanger.fromEnvironment();
        connector.connect(
                exchanger.url, exchanger.connections, () -> new Echo(exchanger), exchanger::fail);
        exchanger.finish();
    }
}
