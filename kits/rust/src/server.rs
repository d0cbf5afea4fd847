//! The variables of a server: `docs/contract.md`, section 4.

use std::error::Error;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::{fail, variables};

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
        let tls = match (variables::get("TLS_CERT"), variables::get("TLS_KEY")) {
            (None, None) => None,
            _ => Some(read_tls()),
        };
        let port = variables::count("PORT", None, u16::MAX.into());
        Self {
            tls,
            host: variables::get("HOST").unwrap_or_else(|| "127.0.0.1".to_owned()),
            port: port.try_into().expect("it is not above the largest"),
        }
    }

    /// Returns where to listen.
    pub fn address(&self) -> (&str, u16) {
        (&self.host, self.port)
    }
}

fn read_tls() -> Arc<ServerConfig> {
    let (cert, key) = (
        variables::required("TLS_CERT"),
        variables::required("TLS_KEY"),
    );
    let read = || -> Result<_, Box<dyn Error>> {
        let chain = CertificateDer::pem_file_iter(&cert)?.collect::<Result<_, _>>()?;
        let key = PrivateKeyDer::from_pem_file(&key)?;
        let builder = ServerConfig::builder().with_no_client_auth();
        Ok(Arc::new(builder.with_single_cert(chain, key)?))
    };
    read().unwrap_or_else(|error| {
        let remedy = format!("give a certificate and its key {key:?}");
        fail(2, &format!("TLS_CERT is {cert:?}: {remedy}: {error}"))
    })
}
