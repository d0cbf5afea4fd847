// The smallest program that receives with java.net.http.

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

final class Client implements WebSocket.Listener {
    private static final int MESSAGES = Integer.parseInt(System.getenv("MESSAGES"));
    private static final CountDownLatch CLOSED = new CountDownLatch(1);

    private StringBuilder text = new StringBuilder();
    private int count;

    @Override
    public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean isLast) {
        text.append(data);
        if (isLast) {
            if (!text.toString().isEmpty()) count++;
            text = new StringBuilder();
        }
        if (count == MESSAGES) webSocket.sendClose(WebSocket.NORMAL_CLOSURE, "");
        webSocket.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket webSocket, int code, String reason) {
        CLOSED.countDown();
        return null;
    }

    @Override
    public void onError(WebSocket webSocket, Throwable error) {
        CLOSED.countDown();
    }

    public static void main(String[] arguments) throws InterruptedException {
        URI url = URI.create(System.getenv("URL"));
        HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(url, new Client()).join();
        CLOSED.await();
    }
}
