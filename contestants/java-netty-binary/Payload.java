// The bodies of long-polling requests and responses: packets, with binary data as Base64.

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.*;
import io.netty.handler.codec.http.websocketx.*;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

final class Payload {
    private static final byte SEPARATOR = 0x1e;
    private static final byte BASE64_MARK = 'b';

    private Payload() {}

    static void append(ByteBuf body, WebSocketFrame packet) {
        if (body.isReadable()) body.writeByte(SEPARATOR);
        // Does not move the reader index, because other sessions may send the same packet.
        byte[] bytes = ByteBufUtil.getBytes(packet.content());
        boolean isBinary = packet instanceof BinaryWebSocketFrame;
        if (isBinary) body.writeByte(BASE64_MARK);
        body.writeBytes(isBinary ? Base64.getEncoder().encode(bytes) : bytes);
    }

    /** Returns a body's packets; throws an IllegalArgumentException for malformed Base64. */
    static List<WebSocketFrame> split(ByteBuf body) {
        List<WebSocketFrame> packets = new ArrayList<>();
        while (body.isReadable()) {
            int length = body.bytesBefore(SEPARATOR);
            packets.add(parse(body.readSlice(length < 0 ? body.readableBytes() : length)));
            if (length >= 0) body.skipBytes(1);
        }
        return packets;
    }

    static FullHttpResponse response(ByteBuf body) {
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body);
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=UTF-8");
        HttpUtil.setContentLength(response, body.readableBytes());
        return response;
    }

    private static WebSocketFrame parse(ByteBuf packet) {
        boolean isBinary = packet.isReadable() && packet.getByte(packet.readerIndex()) == BASE64_MARK;
        if (!isBinary) return new TextWebSocketFrame(packet);
        byte[] base64 = ByteBufUtil.getBytes(packet.skipBytes(1));
        return new BinaryWebSocketFrame(Unpooled.wrappedBuffer(Base64.getDecoder().decode(base64)));
    }
}
