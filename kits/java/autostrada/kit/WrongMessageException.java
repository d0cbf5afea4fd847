// The exception for a received message that is not a message of the feed.

package autostrada.kit;

/** Thrown for a message that is not a message of the feed. */
final class WrongMessageException extends Exception {
    private static final long serialVersionUID = 1;

    WrongMessageException() {
        // Without a stack trace, which would cost more than all checks.
        super("the message is not of the feed", null, false, false);
    }
}
