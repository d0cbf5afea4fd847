// Receives messages with Netty.

import autostrada.kit.Receiver;
import autostrada.kit.Variables;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.websocketx.*;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent;
import java.io.IOException;

final class Client extends SimpleChannelInboundHandler<WebSocketFrame> {
    private final Receiver receiver;
    private Receiver.Connection connection;

    private Client(Receiver receiver) {
        this.receiver = receiver;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) connection = receiver.opened();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
        boolean isComplete = frame instanceof TextWebSocketFrame text
                ? connection.received(text.text())
                : connection.received(frame.content().nioBuffer());
        if (isComplete) context.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (connection == null) receiver.fail(new IOException("closed before it was opened"));
        receiver.closed();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // After the handshake, a reset is a normal end of a connection.
        if (connection == null || !(cause instanceof IOException)) receiver.fail(cause);
    }

    public static void main(String[] arguments) throws InterruptedException {
        try (Connector connector = new Connector()) {
            switch (Variables.choose("WORKLOAD", "receive", "echo")) {
                case "echo" -> Echo.exchange(connector);
                default -> receive(connector);
            }
        }
    }

    private static void receive(Connector connector) throws InterruptedException {
        Receiver receiver = Receiver.fromEnvironment();
        connector.connect(receiver.url, receiver.connections, () -> new Client(receiver), receiver::fail);
        receiver.finish();
    }
}
