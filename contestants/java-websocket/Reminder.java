// Tells the library again that something is to be written.

import java.util.concurrent.locks.LockSupport;
import org.java_websocket.WebSocket;
import org.java_websocket.server.WebSocketServer;

// Once all is written, the library's server waits for reading only: also where another thread has just
// handed something over. Without a reminder that stays there until more is handed over.
final class Reminder {
    private static final long EVERY_NS = 5_000_000;

    private Reminder() {}

    static void start(WebSocketServer server) {
        Thread thread = new Thread(() -> remind(server), "reminder");
        thread.setDaemon(true);
        thread.start();
    }

    private static void remind(WebSocketServer server) {
        while (true) {
            LockSupport.parkNanos(EVERY_NS);
            for (WebSocket connection : server.getConnections()) {
                if (connection.hasBufferedData()) server.onWriteDemand(connection);
            }
        }
    }
}
