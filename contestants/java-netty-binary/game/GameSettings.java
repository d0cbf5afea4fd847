// Reads the environment variables of the game server: docs/published.md.

package game;

import autostrada.kit.ServerSettings;
import autostrada.kit.Variables;
import java.util.concurrent.TimeUnit;

/** Settings of the game server. Without a feed, {@code feed} is null. */
public record GameSettings(
        ServerSettings server, Work work, FeedSettings feed, boolean isSocketIo, boolean hasJsonPackets) {
    private static final long WORK_US_MAX = 1_000_000;

    /** Reads the environment variables, or exits with status 2 and the reason if one is wrong. */
    public static GameSettings fromEnvironment() {
        return Variables.readOrExit(GameSettings::read);
    }

    private static GameSettings read() {
        long workUs = Variables.has("WORK_US") ? Variables.readCount("WORK_US", null, WORK_US_MAX) : 0;
        return new GameSettings(
                ServerSettings.read(),
                new Work(TimeUnit.MICROSECONDS.toNanos(workUs)),
                FeedSettings.read(),
                Variables.readChoice("PROTOCOL", "packets", "socket-io").equals("socket-io"),
                Variables.readChoice("PACKETS", "binary", "json").equals("json"));
    }
}
