// Waits for a closing frame, which the library hands to the thread that writes.

import java.io.IOException;
import java.net.Socket;

final class ClosingFrame {
    private ClosingFrame() {}

    /**
     * Waits until it is written, and answered, or the socket closed: onClose() comes before that.
     *
     * <p>Whatever the program did meanwhile would take the core from the thread that writes.
     */
    static void await(Socket socket) {
        try {
            socket.getInputStream().read();
        } catch (IOException error) {
            // The other thread has closed the socket, or there is no connection any more.
        }
    }
}
