// Exchanges echoes with java.net.http.

import autostrada.kit.Exchanger;
import java.nio.ByteBuffer;

final class Echo extends Connection {
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
        failInSilence(() -> answers, exchanger::fail);
    }

    @Override
    void received(String message) {
        sendNextOrClose(exchange.answered(message.toString()));
    }

    @Override
    void received(ByteBuffer message) {
        sendNextOrClose(exchange.answered(message));
    }

    private void sendNextOrClose(boolean isOngoing) {
        answers++;
        if (isOngoing) send(exchanger.payload);
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
