// Prints the version of Java-WebSocket, from the Maven properties in its jar.

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

final class Version {
    private Version() {}

    public static void main(String[] arguments) throws IOException {
        String name = "/META-INF/maven/org.java-websocket/Java-WebSocket/pom.properties";
        try (InputStream file = Version.class.getResourceAsStream(name)) {
            Properties properties = new Properties();
            properties.load(file);
            System.out.println(properties.getProperty("version"));
        }
    }
}
