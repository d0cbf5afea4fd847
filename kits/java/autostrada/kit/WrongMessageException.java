// What a received message is that is not of its feed.

package autostrada.kit;

/** A message is not of the feed. */
final class WrongMessageException extends Exception {
    private static final long serialVersionUID = 1;

    WrongMessageException() {
        // Without a stack trace, which would cost more than all of the checking.
        super("the message is not of the feed", null, false, false);
    }
}
