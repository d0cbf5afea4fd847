// Reads the environment variables of a server: docs/contract.md, section 8.

package autostrada.kit;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * Settings of a server. The paths of the certificate and key, and the feed, are null if not
 * configured.
 */
public record ServerSettings(
        String host,
        int port,
        Path tlsCert,
        Path tlsKey,
        int workers,
        boolean hasDeflate,
        long workUs,
        FeedSettings feed) {
    /** Largest payload that a server must accept, whatever the default of its library. */
    public static final int PAYLOAD_BYTES_MAX = 16 * 1024 * 1024;

    private static final int PORT_MAX = 65_535;
    private static final long WORK_US_MAX = 1_000_000;

    /** Reads the environment variables, or exits with status 2 and the reason if one is wrong. */
    public static ServerSettings fromEnvironment() {
        return Variables.readOrExit(ServerSettings::read);
    }

    static ServerSettings read(Variables variables) {
        boolean hasTls = variables.has("TLS_CERT") || variables.has("TLS_KEY");
        ServerSettings settings = new ServerSettings(
                variables.read("HOST", "127.0.0.1"),
                (int) variables.readCount("PORT", null, PORT_MAX),
                hasTls ? Path.of(variables.read("TLS_CERT")) : null,
                hasTls ? Path.of(variables.read("TLS_KEY")) : null,
                (int) variables.readCount("WORKERS", "1", Integer.MAX_VALUE),
                variables.readChoice("COMPRESSION", "", "deflate").equals("deflate"),
                variables.has("WORK_US") ? variables.readCount("WORK_US", null, WORK_US_MAX) : 0,
                FeedSettings.read(variables));
        try {
            settings.makeTlsContext();
        } catch (IOException | GeneralSecurityException | IllegalArgumentException error) {
            throw new SettingsException("TLS_CERT and TLS_KEY must be a certificate and its key: "
                    + error.toString().replace("\n", " "));
        }
        return settings;
    }

    /**
     * Returns whether there is a feed without a schedule: the slowest subscriber limits its send
     * rate.
     */
    public boolean isContinuous() {
        return feed != null && feed.isContinuous();
    }

    /** Returns the work at each event of {@code /echo}. */
    public Work work() {
        return new Work(TimeUnit.MICROSECONDS.toNanos(workUs));
    }

    /** Exits with a one-line reason why the server cannot run. */
    public void fail(Throwable error) {
        Exit.with(1, "cannot serve at " + host + ":" + port + ": " + Exit.reason(error));
    }

    public boolean hasTls() {
        return tlsCert != null;
    }

    /** Returns the TLS context of the certificate and key; null without TLS. */
    public SSLContext tlsContext() {
        try {
            return makeTlsContext();
        } catch (IOException | GeneralSecurityException error) {
            throw new IllegalStateException("certificate and key were read before", error);
        }
    }

    private SSLContext makeTlsContext() throws IOException, GeneralSecurityException {
        if (!hasTls()) {
            return null;
        }
        CertificateFactory certificates = CertificateFactory.getInstance("X.509");
        byte[] pem = Files.readAllBytes(tlsCert);
        Certificate[] chain = certificates
                .generateCertificates(new ByteArrayInputStream(pem))
                .toArray(new Certificate[0]);
        if (chain.length == 0) {
            throw new GeneralSecurityException(tlsCert + " has no certificate");
        }
        char[] noPassword = new char[0];
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, noPassword);
        store.setKeyEntry("server", readKey(chain[0].getPublicKey().getAlgorithm()), noPassword, chain);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, noPassword);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    private PrivateKey readKey(String algorithm) throws IOException, GeneralSecurityException {
        String base64 = Files.readString(tlsKey)
                .replaceAll("-----[A-Z ]+-----", "")
                .replaceAll("\\s", "");
        byte[] key = Base64.getDecoder().decode(base64);
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(key));
    }
}
