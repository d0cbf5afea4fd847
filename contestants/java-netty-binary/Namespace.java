// The single namespace of a session: Socket.IO's packets, version 5.

import game.Message;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

final class Namespace {
    /** Type, number of attachments, namespace, acknowledgement number. */
    private static final Pattern HEAD = Pattern.compile("(\\d)(?:\\d+-)?(?:(/[^,]*),?)?\\d*");

    private final Session session;
    private final SocketIo socketIo;
    private String name = "";
    private Runnable leaveSubscribers = () -> {};
    private boolean isAttachmentDue;

    Namespace(Session session, SocketIo socketIo) {
        this.session = session;
        this.socketIo = socketIo;
    }

    void receive(String packet) {
        Matcher head = HEAD.matcher(packet);
        boolean isPacket = head.lookingAt() && !isAttachmentDue;
        if (!isPacket) throw new IllegalArgumentException("not a Socket.IO packet");
        String json = packet.substring(head.end());
        switch (head.group(1)) {
            case "0" -> join(head.group(2));
            case "1" -> leave();
            case "2", "5" -> {
                String text = Event.text(json);
                isAttachmentDue = text == null;
                if (text != null) echo(new Message(text, null));
            }
            default -> throw new IllegalArgumentException("unexpected packet");
        }
    }

    void receiveAttachment(byte[] bytes) {
        if (!isAttachmentDue) throw new IllegalArgumentException("unexpected attachment");
        isAttachmentDue = false;
        echo(new Message(null, bytes));
    }

    void leave() {
        name = "";
        leaveSubscribers.run();
    }

    private void join(String requested) {
        boolean isFeed = "/feed".equals(requested);
        if (!isFeed && !"/echo".equals(requested)) {
            session.send(new TextWebSocketFrame("44" + requested + ",{\"message\":\"Invalid namespace\"}"));
            return;
        }
        name = requested;
        session.send(new TextWebSocketFrame("40" + requested + ",{\"sid\":\"" + session.id + "\"}"));
        if (isFeed) leaveSubscribers = socketIo.subscribers.join(session);
    }

    private void echo(Message message) {
        if (!name.equals("/echo")) return;
        socketIo.work.perform();
        session.send(Event.encode(name, message));
    }
}
