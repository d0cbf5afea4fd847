// Receives messages with Netty, as its example shows: a handler gets each frame of a connection.

import autostrada.kit.ClientRun;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.*;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.websocketx.*;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent;
import java.io.IOException;

final class Client extends SimpleChannelInboundHandler<WebSocketFrame> {
    private final ClientRun run;
    private ClientRun.Connection counted;

    Client(ClientRun run) { this.run = run; }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) counted = run.opened();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
        if (frame instanceof CloseWebSocketFrame) {
            context.close(); // Sends a close frame first, if none was sent.
            return;
        }
        switch (counted.received(frame instanceof TextWebSocketFrame text ? text.text() : frame.content())) {
            case REPLY -> context.writeAndFlush(frame.retain());
            case CLOSE -> context.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE));
            default -> {}
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        run.ended();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // After the handshake, a reset is a normal end of a connection.
        if (counted == null || !(cause instanceof IOException)) run.fail(cause);
    }

    public static void main(String[] arguments) throws Exception {
        ClientRun run = ClientRun.fromEnvironment();
        Bootstrap bootstrap = new Bootstrap()
                .group(new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory()))
                .channel(NioSocketChannel.class)
                .handler(new Connector(run));
        for (int index = 0; index < run.connections; index++) {
            bootstrap.connect(run.url.getHost(), Connector.port(run.url)).addListener(opened -> {
                if (!opened.isSuccess()) run.fail(opened.cause());
            });
        }
        run.finish();
    }
}
