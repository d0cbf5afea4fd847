// A message of a feed, as a library sends it.

package game;

/** A message of a feed, either a text or a byte array; the other one is null. */
public record Message(String text, byte[] binary) {
    public boolean isText() {
        return text != null;
    }

    /** Returns the length of the payload in bytes. All texts of feeds are ASCII. */
    int payloadBytes() {
        return isText() ? text.length() : binary.length;
    }
}
