// Tells the library repeatedly that there is data to write.

import java.util.concurrent.locks.LockSupport;
import org.java_websocket.WebSocket;
import org.java_websocket.server.WebSocketServer;

// After writing all data, the library's server waits only for input, even if another thread has
// just queued a message. Without a reminder, that message would wait until the next one is queued.
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
