// What the environment asks of a client of bots: docs/contract.md, section 6.

package autostrada.kit;

/** What the environment asks of a client of bots. */
record BotSettings(EchoSettings echo, long everyNs, long drainNs) {
    static BotSettings read(Variables variables) {
        long everyNs = variables.readIntervalNs();
        return new BotSettings(
                EchoSettings.read(variables), everyNs, variables.readDurationNs("DRAIN_S", "5"));
    }
}
