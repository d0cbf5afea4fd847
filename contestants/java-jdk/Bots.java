// Bots with java.net.http.

import autostrada.kit.Bot;
import java.nio.ByteBuffer;

final class Bots extends Connection {
    private final autostrada.kit.Bots bots;
    private Bot bot;

    private Bots(autostrada.kit.Bots bots) {
        this.bots = bots;
    }

    @Override
    void opened() {
        bot = bots.opened(this::send, this::close);
    }

    @Override
    void received(String message) {
        bot.answered(message);
    }

    @Override
    void received(ByteBuffer message) {
        bot.answered(message);
    }

    @Override
    void ended(Throwable error) {
        if (!bot.isOver()) bots.fail(error);
        bots.closed();
    }

    static void sendWhenDue() throws InterruptedException {
        autostrada.kit.Bots bots = autostrada.kit.Bots.fromEnvironment();
        for (int index = 0; index < bots.connections; index++) {
            open(bots.url, new Bots(bots), bots::fail);
        }
        bots.finish();
    }
}
