// Prints the version of the JDK, which is the library's.

final class Version {
    private Version() {}

    public static void main(String[] arguments) {
        System.out.println(Runtime.version());
    }
}
