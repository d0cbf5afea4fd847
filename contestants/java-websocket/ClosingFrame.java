// Waits for the close frame, which the library's writing thread sends.

import java.io.IOException;
import java.net.Socket;

final class ClosingFrame {
    private ClosingFrame() {}

    /**
     * Waits until the frame is answered or the socket is closed; onClose() runs before that.
     *
     * <p>Blocks on the socket: other work would take the core from the writing thread.
     */
    static void await(Socket socket) {
        try {
            socket.getInputStream().read();
        } catch (IOException error) {
            // The other thread has closed the socket, or there is no connection.
        }
    }
}
