// Joins the parts of a message, as the library's documentation shows for texts.

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

final class Parts {
    private StringBuilder text = new StringBuilder();
    private final ByteArrayOutputStream binary = new ByteArrayOutputStream();

    /** Returns the message with its last part; null before that. */
    String join(CharSequence part, boolean isLast) {
        text.append(part);
        if (!isLast) return null;
        String message = text.toString();
        text = new StringBuilder();
        return message;
    }

    /** Returns the message with its last part; null before that. */
    ByteBuffer join(ByteBuffer part, boolean isLast) {
        if (isLast && binary.size() == 0) return part;
        // The library may use the memory of the part again.
        byte[] bytes = new byte[part.remaining()];
        part.get(bytes);
        binary.writeBytes(bytes);
        if (!isLast) return null;
        ByteBuffer message = ByteBuffer.wrap(binary.toByteArray());
        binary.reset();
        return message;
    }
}
