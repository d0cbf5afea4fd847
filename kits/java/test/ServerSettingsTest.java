// Tests of a server's settings, and of TLS at both ends.

package autostrada.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

final class ServerSettingsTest {
    private static ServerSettings read(String name, String value) {
        return ServerSettings.read(new Variables(Map.of("PORT", "8008", name, value)));
    }

    static void aPortIsEnough() {
        ServerSettings settings = new ServerSettings("127.0.0.1", 8008, null, null, null, false);
        Tests.equal(settings, ServerSettings.read(new Variables(Map.of("PORT", "8008"))));
        Tests.equal(true, read("COMPRESSION", "deflate").hasDeflate());
    }

    static void aWrongVariableIsNamed() {
        for (String port : List.of("", "0", "65536", "many")) {
            Tests.named("PORT", () -> ServerSettings.read(new Variables(Map.of("PORT", port))));
        }
        Tests.named("COMPRESSION", () -> read("COMPRESSION", "gzip"));
        Tests.named("TLS_KEY", () -> read("TLS_CERT", "certificate.pem"));
        Tests.named("TLS_CERT", () -> read("TLS_KEY", "key.pem"));
        for (String file : List.of("none.pem", "kit.toml")) {
            Variables wrong = new Variables(Map.of("PORT", "8008", "TLS_CERT", file, "TLS_KEY", file));
            Tests.named("TLS_CERT", () -> ServerSettings.read(wrong));
        }
    }

    static void aClientThatTrustsTheCertificateReadsWhatTheServerWrites() throws Exception {
        Path folder = Files.createTempDirectory("tls");
        String store = folder.resolve("store").toString();
        new ProcessBuilder(
                "keytool", "-genkeypair", "-keyalg", "EC", "-alias", "a", "-dname", "CN=localhost",
                "-keystore", store, "-storepass", "secret").start().waitFor();
        KeyStore made = KeyStore.getInstance(Path.of(store).toFile(), "secret".toCharArray());
        Path certificate = write(folder, "CERTIFICATE", made.getCertificate("a").getEncoded());
        Path key = write(folder, "PRIVATE KEY", made.getKey("a", "secret".toCharArray()).getEncoded());
        var listener = Tls.server(certificate, key).getServerSocketFactory().createServerSocket(0);
        var client = Tls.client(certificate).getSocketFactory().createSocket("localhost", listener.getLocalPort());
        CompletableFuture.runAsync(() -> Variables.make("", () -> {
            listener.accept().getOutputStream().write(7);
            return null;
        }));
        Tests.equal(7, client.getInputStream().read());
    }

    private static Path write(Path folder, String label, byte[] content) throws IOException {
        String base64 = Base64.getMimeEncoder().encodeToString(content);
        String pem = "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
        return Files.writeString(folder.resolve(label), pem);
    }
}
