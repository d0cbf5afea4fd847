//! TLS configurations of clients and servers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::NoServerSessionStorage;
use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, ServerConfig, SignatureScheme,
    SupportedCipherSuite, SupportedProtocolVersion,
};
use thiserror::Error;

/// The reason why TLS could not be configured, for the user to correct.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct TlsSetupError(pub(super) String);

/// The TLS settings of a client.
#[derive(Debug, Clone, Default)]
pub struct ClientTls {
    /// Whether any certificate is accepted, for tests against servers with a self-signed one.
    pub insecure: bool,
    /// File of trusted CA certificates (PEM); `None`: those of the system.
    pub ca_file: Option<PathBuf>,
    /// Files of the client's own certificate chain and of its private key (PEM), for a server that
    /// asks for a certificate; `None`: it gets none.
    pub own_certificate: Option<(PathBuf, PathBuf)>,
    /// The only permitted version, `1.2` or `1.3`; `None`: both.
    pub version: Option<String>,
    /// IANA name of the only permitted cipher suite; `None`: all.
    pub cipher_suite: Option<String>,
    /// Whether earlier sessions are resumed.
    pub resumption: bool,
}

impl ClientTls {
    /// Creates the configuration that all connections share.
    /// Returns an error if a file cannot be read, a name is unknown, or the system has no trusted
    /// certificates.
    pub fn configure(&self) -> Result<Arc<ClientConfig>, TlsSetupError> {
        let provider = Arc::new(provider(self.cipher_suite.as_deref())?);
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&versions(self.version.as_deref())?)
            .map_err(|error| TlsSetupError(error.to_string()))?;
        let builder = if self.insecure {
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(AcceptAny(provider)))
        } else {
            builder.with_root_certificates(self.roots()?)
        };
        let mut config = match &self.own_certificate {
            None => builder.with_no_client_auth(),
            Some((chain, key)) => builder
                .with_client_auth_cert(read_certificates(chain)?, read_key(key)?)
                .map_err(|error| wrong(chain, key, &error))?,
        };
        if !self.resumption {
            config.resumption = Resumption::disabled();
        }
        Ok(Arc::new(config))
    }

    fn roots(&self) -> Result<RootCertStore, TlsSetupError> {
        let mut roots = RootCertStore::empty();
        if let Some(path) = &self.ca_file {
            for certificate in read_certificates(path)? {
                roots
                    .add(certificate)
                    .map_err(|error| TlsSetupError(format!("{}: {error}", path.display())))?;
            }
        } else {
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
            if roots.is_empty() {
                return Err(TlsSetupError(
                    "this machine has no trusted CA certificates: apt install ca-certificates, \
                     or give a file of certificates"
                        .to_owned(),
                ));
            }
        }
        Ok(roots)
    }
}

/// Creates a server's configuration from its certificate chain and private key, both PEM.
/// Returns an error if a file cannot be read, or if the key does not match the certificate.
pub fn configure_server(
    certificates: &Path,
    key: &Path,
) -> Result<Arc<ServerConfig>, TlsSetupError> {
    let wrong = |error: &dyn std::fmt::Display| wrong(certificates, key, error);
    let chain = read_certificates(certificates)?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider(None)?))
        .with_protocol_versions(rustls::ALL_VERSIONS)
        .map_err(|error| wrong(&error))?
        .with_no_client_auth()
        .with_single_cert(chain, read_key(key)?)
        .map_err(|error| wrong(&error))?;
    // Sessions are stored in tickets at the clients, so they take no memory here.
    config.ticketer = rustls::crypto::ring::Ticketer::new().map_err(|error| wrong(&error))?;
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 1;
    Ok(Arc::new(config))
}

fn provider(cipher_suite: Option<&str>) -> Result<CryptoProvider, TlsSetupError> {
    let mut provider = rustls::crypto::ring::default_provider();
    if let Some(name) = cipher_suite {
        let suites = &mut provider.cipher_suites;
        let known: Vec<_> = suites.iter().copied().map(iana_name).collect();
        suites.retain(|&suite| iana_name(suite) == name);
        if provider.cipher_suites.is_empty() {
            return Err(TlsSetupError(format!(
                "no cipher suite {name:?}; available: {}",
                known.join(", ")
            )));
        }
    }
    Ok(provider)
}

/// Returns the IANA name of a suite; rustls prefixes the names of TLS 1.3 suites with `TLS13_`.
pub(super) fn iana_name(suite: SupportedCipherSuite) -> String {
    format!("{:?}", suite.suite()).replace("TLS13_", "TLS_")
}

fn versions(
    version: Option<&str>,
) -> Result<Vec<&'static SupportedProtocolVersion>, TlsSetupError> {
    match version {
        None => Ok(rustls::ALL_VERSIONS.to_vec()),
        Some("1.2") => Ok(vec![&rustls::version::TLS12]),
        Some("1.3") => Ok(vec![&rustls::version::TLS13]),
        Some(other) => Err(TlsSetupError(format!(
            "no TLS version {other:?}; available: 1.2, 1.3"
        ))),
    }
}

/// Returns the error about a certificate chain and its key.
fn wrong(chain: &Path, key: &Path, error: &dyn std::fmt::Display) -> TlsSetupError {
    TlsSetupError(format!("{}, {}: {error}", chain.display(), key.display()))
}

fn read_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsSetupError> {
    let read = || CertificateDer::pem_file_iter(path)?.collect::<Result<Vec<_>, _>>();
    match read() {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(unreadable(path, "certificate", pem::Error::NoItemsFound)),
        Err(error) => Err(unreadable(path, "certificate", error)),
    }
}

fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsSetupError> {
    PrivateKeyDer::from_pem_file(path).map_err(|error| unreadable(path, "private key", error))
}

fn unreadable(path: &Path, content: &str, error: pem::Error) -> TlsSetupError {
    let path = path.display();
    TlsSetupError(match error {
        pem::Error::NoItemsFound => format!("{path}: contains no {content} in PEM"),
        pem::Error::Io(error) => format!("{path}: {error}"),
        error => format!("{path}: {error}"),
    })
}

/// Accepts any certificate, but verifies signatures.
#[derive(Debug)]
struct AcceptAny(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAny {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
