// The handlers of a client's connection, in the order of Netty's example.

import autostrada.kit.ClientRun;
import autostrada.kit.ServerSettings;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.*;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.net.URI;
import javax.net.ssl.SSLException;

final class Connector extends ChannelInitializer<Channel> {
    private static final int RESPONSE_BYTES_MAX = 8192;

    private final ClientRun run;
    private final WebSocketClientProtocolConfig config;
    private final SslContext tls;

    Connector(ClientRun run) throws SSLException {
        this.run = run;
        config = WebSocketClientProtocolConfig.newBuilder()
                .webSocketUri(run.url)
                // The contract requires 16 MiB; the library's default is 64 KiB.
                .maxFramePayloadLength(ServerSettings.MESSAGE_BYTES_MAX)
                .handleCloseFrames(false) // The library would close without an answer.
                .build();
        tls = isSecure(run.url) ? SslContextBuilder.forClient().trustManager(run.trusted).build() : null;
    }

    @Override
    protected void initChannel(Channel channel) {
        if (tls != null) {
            channel.pipeline().addLast(tls.newHandler(channel.alloc(), run.url.getHost(), port(run.url)));
        }
        channel.pipeline().addLast(
                new HttpClientCodec(),
                new HttpObjectAggregator(RESPONSE_BYTES_MAX),
                new WebSocketClientProtocolHandler(config),
                new WebSocketFrameAggregator(ServerSettings.MESSAGE_BYTES_MAX),
                new Client(run));
    }

    static int port(URI url) {
        int usual = isSecure(url) ? 443 : 80;
        return url.getPort() < 0 ? usual : url.getPort();
    }

    private static boolean isSecure(URI url) {
        return url.getScheme().equals("wss");
    }
}
