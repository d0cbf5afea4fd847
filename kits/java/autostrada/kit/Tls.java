// Makes TLS contexts from files in PEM form.

package autostrada.kit;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

final class Tls {
    private static final char[] NO_PASSWORD = {};

    private Tls() {}

    /** Returns the context of a server with a certificate chain and its key. */
    static SSLContext server(Path certificates, Path key) throws IOException, GeneralSecurityException {
        Certificate[] chain = read(certificates);
        String base64 = Files.readString(key).replaceAll("-----[A-Z ]+-----|\\s", "");
        PKCS8EncodedKeySpec decoded = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64));
        KeyFactory factory = KeyFactory.getInstance(chain[0].getPublicKey().getAlgorithm());
        KeyStore store = emptyStore();
        store.setKeyEntry("server", factory.generatePrivate(decoded), NO_PASSWORD, chain);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, NO_PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    /** Returns the context of a client that trusts certificates. */
    static SSLContext client(Path certificates) throws IOException, GeneralSecurityException {
        KeyStore store = emptyStore();
        for (Certificate each : read(certificates)) {
            store.setCertificateEntry("trusted " + store.size(), each);
        }
        var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trusted.getTrustManagers(), null);
        return context;
    }

    private static Certificate[] read(Path file) throws IOException, GeneralSecurityException {
        var pem = new ByteArrayInputStream(Files.readAllBytes(file));
        var certificates = CertificateFactory.getInstance("X.509").generateCertificates(pem);
        if (certificates.isEmpty()) {
            throw new GeneralSecurityException(file + " has no certificate");
        }
        return certificates.toArray(new Certificate[0]);
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }
}
