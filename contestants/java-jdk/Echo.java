// Exchanges echoes with java.net.http.

import autostrada.kit.Exchanger;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

final class Echo extends Connection {
    private static final int SILENCE_S = 5;
    private static final Executor LATER =
        CompletableFuture.delayedExecutor(SILENCE_S, TimeUnit.SECONDS);

    private final Exchanger exchanger;
    private Exchanger.Exchange exchange;
    private volatile long answers;

    private Echo(Exchanger exchanger) {
        this.exchanger = exchanger;
    }

    @Override
    void opened() {
        exchange = exchanger.opened();
        send(exchanger.payload);
        failInSilence();
    }

    @Override
    void received(CharSequence message) {
        goOn(exchange.answered(message.toString()));
    }

    @Override
    void received(ByteBuffer message) {
        goOn(exchange.answered(message));
    }

    // The library misses some ends of streams, and then tells nobody.
    private void failInSilence() {
        long before = answers;
        LATER.execute(() -> {
            if (answers > before) failInSilence();
            else exchanger.fail(new IOException("silence for " + SILENCE_S + " s"));
        });
    }

    private void goOn(boolean isWanted) {
        answers++;
        if (isWanted) send(exchanger.payload);
        else close();
    }

    @Override
    void ended(Throwable error) {
        if (!exchange.isOver()) exchanger.fail(error);
        exchanger.closed();
    }

    static void exchange() throws InterruptedException {
        Exchanger exchanger = Exchanger.fromEnvironment();
        for (int index = 0; index < exchanger.connections; index++) {
            open(exchanger.url, new Echo(exchanger), exchanger::fail);
        }
        exchanger.finish();
    }
}
