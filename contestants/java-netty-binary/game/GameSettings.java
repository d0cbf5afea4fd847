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

    private static GameSettings read(Variables variables) {
        long workUs = variables.has("WORK_US") ? variables.readCount("WORK_US", null, WORK_US_MAX) : 0;
        return new GameSettings(
                ServerSettings.read(variables),
                new Work(TimeUnit.MICROSECONDS.toNanos(workUs)),
                FeedSettings.read(variables),
                variables.readChoice("PROTOCOL", "packets", "socket-io").equals("socket-io"),
                variables.readChoice("PACKETS", "binary", "json").equals("json"));
    }
}
