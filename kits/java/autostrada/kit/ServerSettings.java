// Reads the environment variables of a server: docs/contract.md, section 4.

package autostrada.kit;

import java.nio.file.Path;
import javax.net.ssl.SSLContext;

/** Settings of a server. Without TLS, its files and its context are null. */
public record ServerSettings(
        String host, int port, Path tlsCert, Path tlsKey, SSLContext tlsContext, boolean hasDeflate) {
    /** Longest message that a program must accept, whatever the default of its library. */
    public static final int MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

    private static final int PORT_MAX = 65_535;

    /** Reads the environment variables, or exits with status 2 and the reason if one is wrong. */
    public static ServerSettings fromEnvironment() {
        return Variables.readOrExit(ServerSettings::read);
    }

    public static ServerSettings read() {
        boolean hasTls = Variables.has("TLS_CERT") || Variables.has("TLS_KEY");
        Path cert = hasTls ? Path.of(Variables.read("TLS_CERT", null)) : null;
        Path key = hasTls ? Path.of(Variables.read("TLS_KEY", null)) : null;
        String reason = "TLS_CERT and TLS_KEY must be a certificate and its key";
        return new ServerSettings(
                Variables.read("HOST", "127.0.0.1"),
                (int) Variables.readCount("PORT", null, PORT_MAX),
                cert,
                key,
                hasTls ? Variables.make(reason, () -> Tls.server(cert, key)) : null,
                Variables.readChoice("COMPRESSION", "", "deflate").equals("deflate"));
    }

    /** Exits with a one-line reason why the server cannot run. */
    public void fail(Throwable error) {
        Exit.with(1, "cannot serve at " + host + ":" + port + ": " + Exit.reason(error));
    }
}
