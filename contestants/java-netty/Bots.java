// Bots with Netty, whose event loops are their timers.

import static io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent.HANDSHAKE_COMPLETE;

import autostrada.kit.Bot;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.websocketx.*;
import java.io.IOException;

final class Bots extends SimpleChannelInboundHandler<WebSocketFrame> {
    private final autostrada.kit.Bots bots;
    private Bot bot;

    private Bots(autostrada.kit.Bots bots) {
        this.bots = bots;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event != HANDSHAKE_COMPLETE) return;
        bot = bots.opened(
                context.channel().eventLoop(),
                text -> context.writeAndFlush(new TextWebSocketFrame(text)),
                () -> context.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE)));
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
        if (frame instanceof TextWebSocketFrame text) bot.answered(text.text());
        else bot.answered(frame.content().nioBuffer());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (!isOver()) bots.fail(new IOException("closed by the server"));
        bots.closed();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!isOver()) bots.fail(cause);
    }

    private boolean isOver() {
        return bot != null && bot.isOver();
    }

    static void sendWhenDue(Connector connector) throws InterruptedException {
        autostrada.kit.Bots bots = autostrada.kit.Bots.fromEnvironment();
        connector.connect(bots.url, bots.connections, () -> new Bots(bots), bots::fail);
        bots.finish();
    }
}
