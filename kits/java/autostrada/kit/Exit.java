// Ends the program with a status and a reason.

package autostrada.kit;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Ends the program even if other threads are blocked. */
public final class Exit {
    private Exit() {}

    public static void with(int status, String reason) {
        System.err.println(reason);
        System.err.flush();
        Runtime.getRuntime().halt(status);
    }

    /** Returns the message of an error as one line. */
    public static String reason(Throwable error) {
        boolean isWrapped = error instanceof CompletionException || error instanceof ExecutionException;
        if (isWrapped && error.getCause() != null) {
            return reason(error.getCause());
        }
        String text = error.getMessage() == null ? "" : error.getMessage().strip();
        return text.isEmpty() ? error.getClass().getSimpleName() : text.lines().findFirst().get();
    }
}
