// A connection of java.net.http: joins parts to messages, and sends one message after the other.

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

abstract class Connection implements WebSocket.Listener {
    private static final int SILENCE_S = 5;
    private static final Executor LATER =
        CompletableFuture.delayedExecutor(SILENCE_S, TimeUnit.SECONDS);

    private StringBuilder text = new StringBuilder();
    private ByteBuffer binary = ByteBuffer.allocate(0);
    // Completed when the last message is sent: the library rejects concurrent sends.
    private CompletableFuture<WebSocket> sent;

    abstract void opened();

    abstract void received(String message);

    abstract void received(ByteBuffer message);

    abstract void ended(Throwable error);

    static void open(URI url, Connection connection, Consumer<Throwable> fail) {
        CLIENT.newWebSocketBuilder().buildAsync(url, connection).whenComplete((opened, error) -> {
            if (error != null) fail.accept(error);
        });
    }

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    final void send(String message) {
        then(webSocket -> webSocket.sendText(message, true));
    }

    final void close() {
        then(webSocket -> webSocket.sendClose(WebSocket.NORMAL_CLOSURE, ""));
    }

    // Fails a connection without messages: the library does not report every end of a stream.
    static void failInSilence(LongSupplier messages, Consumer<Throwable> fail) {
        long before = messages.getAsLong();
        LATER.execute(() -> {
            if (messages.getAsLong() > before) failInSilence(messages, fail);
            else fail.accept(new IOException("silence for " + SILENCE_S + " s"));
        });
    }

    private synchronized void then(Function<WebSocket, CompletableFuture<WebSocket>> next) {
        // A failure is also reported by onError().
        sent = sent.thenCompose(next);
    }

    @Override
    public void onOpen(WebSocket webSocket) {
        sent = CompletableFuture.completedFuture(webSocket);
        opened();
        webSocket.request(1);
    }

    @Override
    public CompletionStage<?> onText(WebSocket webSocket, CharSequence part, boolean isLast) {
        text.append(part);
        if (isLast) {
            received(text.toString());
            text = new StringBuilder();
        }
        webSocket.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket webSocket, ByteBuffer part, boolean isLast) {
        boolean isWhole = isLast && !binary.hasRemaining();
        if (!isWhole) {
            binary = ByteBuffer.allocate(binary.remaining() + part.remaining()).put(binary).put(part).flip();
        }
        if (isLast) {
            ByteBuffer message = isWhole ? part : binary;
            binary = ByteBuffer.allocate(0);
            received(message);
        }
        webSocket.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket webSocket, int code, String reason) {
        // The library answers the close frame only after this method has returned.
        IOException ending = new IOException("closed with " + code + " " + reason);
        webSocket.sendClose(WebSocket.NORMAL_CLOSURE, "").whenComplete((sent, error) -> ended(ending));
        return null;
    }

    @Override
    public void onError(WebSocket webSocket, Throwable error) {
        ended(error);
    }
}
