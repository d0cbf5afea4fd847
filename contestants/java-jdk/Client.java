// Receives messages with java.net.http, as its documentation shows: a listener that joins parts.

import autostrada.kit.ClientRun;
import autostrada.kit.ClientRun.Action;
import java.net.ProtocolException;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

final class Client implements WebSocket.Listener {
    private final ClientRun run;
    private final Parts parts = new Parts();
    private ClientRun.Connection counted;

    private Client(ClientRun run) { this.run = run; }

    @Override public void onOpen(WebSocket webSocket) {
        counted = run.opened();
        webSocket.request(1);
    }

    @Override public CompletionStage<?> onText(WebSocket webSocket, CharSequence part, boolean isLast) {
        String message = parts.join(part, isLast);
        Action action = message == null ? Action.CONTINUE : counted.received(message);
        return requestNext(webSocket, action, action == Action.REPLY ? webSocket.sendText(message, true) : null);
    }

    @Override public CompletionStage<?> onBinary(WebSocket webSocket, ByteBuffer part, boolean isLast) {
        ByteBuffer message = parts.join(part, isLast);
        Action action = message == null ? Action.CONTINUE : counted.received(message);
        return requestNext(webSocket, action, action == Action.REPLY ? webSocket.sendBinary(message, true) : null);
    }

    private static CompletionStage<?> requestNext(WebSocket webSocket, Action action, CompletionStage<?> sending) {
        // The library refuses a message while it sends another one. If it cannot send, it reports the end.
        if (sending != null) return sending.whenComplete((sent, error) -> webSocket.request(1));
        if (action == Action.CLOSE) webSocket.sendClose(WebSocket.NORMAL_CLOSURE, "");
        webSocket.request(1);
        return null;
    }

    @Override public CompletionStage<?> onClose(WebSocket webSocket, int code, String reason) {
        // The library would answer the close frame only after this method has returned.
        return webSocket.sendClose(WebSocket.NORMAL_CLOSURE, "").whenComplete((sent, error) -> run.ended());
    }

    @Override public void onError(WebSocket webSocket, Throwable error) {
        if (error instanceof ProtocolException) run.fail(error.getCause()); // It refuses a message.
        run.ended();
    }

    public static void main(String[] arguments) throws InterruptedException {
        ClientRun run = ClientRun.fromEnvironment();
        var builder = HttpClient.newHttpClient().newWebSocketBuilder();
        for (int index = 0; index < run.connections; index++) builder.buildAsync(run.url, new Client(run))
                .whenComplete((opened, error) -> { if (error != null) run.fail(error); });
        run.finish();
    }
}
