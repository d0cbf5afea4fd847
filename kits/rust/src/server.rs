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
