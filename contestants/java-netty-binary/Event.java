// The Socket.IO event "message" with one argument; Jackson encodes and decodes its JSON.

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import game.Message;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.websocketx.*;
import java.io.IOException;
import java.io.StringWriter;

final class Event {
    private static final JsonFactory JSON = new JsonFactory();
    private static final String NAME = "message";
    private static final String PLACEHOLDER = "[\"" + NAME + "\",{\"_placeholder\":true,\"num\":0}]";

    private Event() {}

    /** Returns an event's packets: its text, or the announcement of an attachment and that. */
    static WebSocketFrame[] encode(String namespace, Message message) {
        if (message.isText()) {
            String packet = "42" + namespace + "," + json(message.text());
            return new WebSocketFrame[] {new TextWebSocketFrame(packet)};
        }
        return new WebSocketFrame[] {
            new TextWebSocketFrame("451-" + namespace + "," + PLACEHOLDER),
            new BinaryWebSocketFrame(Unpooled.wrappedBuffer(message.binary())),
        };
    }

    /** Returns the text of an event, or null if it announces an attachment. */
    static String text(String json) {
        try (JsonParser parser = JSON.createParser(json)) {
            boolean isEvent = parser.nextToken() == JsonToken.START_ARRAY
                    && NAME.equals(parser.nextTextValue());
            String text = parser.nextTextValue();
            boolean isAttached = parser.currentToken() == JsonToken.START_OBJECT;
            parser.skipChildren();
            if (!isEvent || text == null && !isAttached || parser.nextToken() != JsonToken.END_ARRAY) {
                throw new IllegalArgumentException("not an event with one text or attachment");
            }
            return text;
        } catch (IOException error) {
            throw new IllegalArgumentException(error);
        }
    }

    private static String json(String text) {
        StringWriter json = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(json)) {
            generator.writeStartArray();
            generator.writeString(NAME);
            generator.writeString(text);
            generator.writeEndArray();
        } catch (IOException error) {
            throw new IllegalArgumentException(error);
        }
        return json.toString();
    }
}
