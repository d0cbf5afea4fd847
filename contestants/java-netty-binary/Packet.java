// A packet as JSON, encoded with Jackson: an event with Base64 bytes.

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

final class Packet {
    private static final JsonFactory JSON = new JsonFactory();
    private static final String KEY = "event";

    private Packet() {}

    /** Returns the bytes of the event, or null if the text is not a packet. */
    static byte[] parse(String text) {
        try (JsonParser parser = JSON.createParser(text)) {
            boolean hasEvent = parser.nextToken() == JsonToken.START_OBJECT
                    && KEY.equals(parser.nextFieldName())
                    && parser.nextToken() == JsonToken.VALUE_STRING;
            byte[] event = hasEvent ? parser.getBinaryValue() : null;
            boolean isPacket = hasEvent
                    && parser.nextToken() == JsonToken.END_OBJECT
                    && parser.nextToken() == null;
            return isPacket ? event : null;
        } catch (JsonProcessingException error) {
            return null;
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Returns the packet of an event. */
    static String json(byte[] event) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(text)) {
            generator.writeStartObject();
            generator.writeBinaryField(KEY, event);
            generator.writeEndObject();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return text.toString();
    }
}
