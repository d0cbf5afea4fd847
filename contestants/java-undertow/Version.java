// Prints the version of Undertow.

final class Version {
    private Version() {}

    public static void main(String[] arguments) {
        System.out.println(io.undertow.Version.getVersionString());
    }
}
