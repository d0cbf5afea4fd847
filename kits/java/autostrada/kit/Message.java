// A message of a feed, as a library sends it.

package autostrada.kit;

/** A message: a text, or the bytes of a binary one; the other is null. */
public record Message(String text, byte[] binary) {
    public boolean isText() {
        return text != null;
    }

    /** How many bytes it has. All texts of feeds are ASCII. */
    int payloadBytes() {
        return isText() ? text.length() : binary.length;
    }
}
