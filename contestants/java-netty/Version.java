// Prints the version of Netty's WebSocket handlers.

final class Version {
    private Version() {}

    public static void main(String[] arguments) {
        var version = io.netty.util.Version.identify().get("netty-codec-http");
        System.out.println(version.artifactVersion());
    }
}
