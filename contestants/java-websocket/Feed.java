// Sends a feed to subscribers with Java-WebSocket.

import autostrada.kit.Message;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.java_websocket.WebSocket;
import org.java_websocket.framing.CloseFrame;
import org.java_websocket.server.WebSocketServer;

final class Feed {
    // Messages of a continuous feed after which the library must have written all of them.
    private static final int BATCH_MESSAGES = 16;

    // Polling interval: the library does not report when it has written.
    private static final long POLL_INTERVAL_NS = 20_000;

    private Feed() {}

    static void publish(WebSocketServer server, autostrada.kit.Feed<Set<WebSocket>> feed) {
        int messages = 0;
        for (Message message : feed) {
            if (message.isText()) server.broadcast(message.text(), feed.subscribed());
            else server.broadcast(message.binary(), feed.subscribed());
            messages += 1;
            if (feed.isContinuous() && messages % BATCH_MESSAGES == 0) {
                feed.subscribed().forEach(Feed::awaitWritten);
            }
        }
        feed.subscribed().forEach(subscriber -> subscriber.close(CloseFrame.NORMAL));
    }

    private static void awaitWritten(WebSocket subscriber) {
        while (subscriber.isOpen() && subscriber.hasBufferedData()) LockSupport.parkNanos(POLL_INTERVAL_NS);
    }
}
