//! The variables of a server: `docs/contract.md`, section 4.

use std::error::Error;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::variables::Variables;

/// The settings of a server.
#[derive(Debug)]
pub struct Server {
    /// What it speaks TLS with; `None`: it does not.
    pub tls: Option<Arc<ServerConfig>>,
    host: String,
    port: u16,
}

impl Server {
    /// Reads the environment variables, or ends the program with status 2 and the reason.
    pub fn from_environment() -> Self {
        Variables::read_or_exit(Self::read)
    }

    pub(crate) fn read(given: &Variables) -> Result<Self, String> {
        let tls = match (given.get("TLS_CERT"), given.get("TLS_KEY")) {
            (None, None) => None,
            _ => Some(read_tls(
                given.required("TLS_CERT")?,
                given.required("TLS_KEY")?,
            )?),
        };
        let port = given.count("PORT", None, u16::MAX.into())?;
        Ok(Self {
            tls,
            host: given.get("HOST").unwrap_or("127.0.0.1").to_owned(),
            port: port.try_into().expect("it is not above the largest"),
        })
    }

    /// Returns where to listen.
    pub fn address(&self) -> (&str, u16) {
        (&self.host, self.port)
    }
}

fn read_tls(cert: &str, key: &str) -> Result<Arc<ServerConfig>, String> {
    let read = || -> Result<_, Box<dyn Error>> {
        let chain = CertificateDer::pem_file_iter(cert)?.collect::<Result<_, _>>()?;
        let key = PrivateKeyDer::from_pem_file(key)?;
        let builder = ServerConfig::builder().with_no_client_auth();
        Ok(Arc::new(builder.with_single_cert(chain, key)?))
    };
    read().map_err(|error| {
        format!("TLS_CERT is {cert:?}: give a certificate and its key {key:?}: {error}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variables::tests::given;

    #[test]
    fn a_port_is_enough() {
        let server = Server::read(&given(&[])).unwrap();
        assert_eq!(server.address(), ("127.0.0.1", 8008));
        assert!(server.tls.is_none());
    }

    #[test]
    fn with_a_certificate_and_its_key_it_speaks_tls() {
        // openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost
        let both = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/certificate_and_key.pem");
        let read = |cert, key| Server::read(&given(&[("TLS_CERT", cert), ("TLS_KEY", key)]));
        assert!(read(both, both).unwrap().tls.is_some());
        for (cert, key) in [("none", both), (both, "none"), (both, file!())] {
            let reason = read(cert, key).unwrap_err();
            let expected = format!("TLS_CERT is {cert:?}: give a certificate and its key {key:?}");
            assert!(reason.starts_with(&expected), "{reason}");
        }
        let reason = Server::read(&given(&[("TLS_KEY", both)])).unwrap_err();
        assert_eq!(reason, "TLS_CERT is not set");
    }
}
