// Prints the version of the JDK, which includes the library.

final class Version {
    private Version() {}

    public static void main(String[] arguments) {
        System.out.println(Runtime.version());
    }
}
