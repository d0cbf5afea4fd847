// Feeds an audience with Java-WebSocket.

import autostrada.kit.Message;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.java_websocket.WebSocket;
import org.java_websocket.framing.CloseFrame;
import org.java_websocket.server.WebSocketServer;

final class Feed {
    // Of a continuous feed: so many messages at once, and then the library must have written them.
    private static final int MESSAGES_AT_ONCE = 16;

    // The library tells nobody when it has.
    private static final long ASK_AGAIN_NS = 20_000;
    private static final long ASKS_UNTIL_TOLD = 50;

    // Of a member that reads late, what is left is written whenever it reads.
    private static final long LAST_ASKS = 1_000;

    private Feed() {}

    static void publish(WebSocketServer server, autostrada.kit.Feed<Set<WebSocket>> feed) {
        int messages = 0;
        for (Message message : feed) {
            if (message.isText()) server.broadcast(message.text(), feed.members());
            else server.broadcast(message.binary(), feed.members());
            messages += 1;
            if (feed.isContinuous() && messages % MESSAGES_AT_ONCE == 0) {
                feed.members().forEach(member -> awaitWritten(server, member, Long.MAX_VALUE));
            }
        }
        feed.members().forEach(member -> member.close(CloseFrame.NORMAL));
        feed.members().forEach(member -> awaitWritten(server, member, LAST_ASKS));
    }

    // The library may forget that something is to be written where it has just written all else:
    // it is told again.
    private static void awaitWritten(WebSocketServer server, WebSocket member, long asks) {
        for (long ask = 1; ask <= asks && !member.isClosed() && member.hasBufferedData(); ask += 1) {
            if (ask % ASKS_UNTIL_TOLD == 0) server.onWriteDemand(member);
            LockSupport.parkNanos(ASK_AGAIN_NS);
        }
    }
}
