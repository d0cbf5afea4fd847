// Prints the version of Netty's codecs.

final class Version {
    private Version() {}

    public static void main(String[] arguments) {
        var version = io.netty.util.Version.identify().get("netty-codec-base");
        System.out.println(version.artifactVersion());
    }
}
