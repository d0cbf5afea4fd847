//! Creates the TLS acceptor of a server with rustls.

use std::error::Error;
use std::sync::Arc;

use autostrada_kit::TlsFiles;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

pub fn read_acceptor(files: &TlsFiles) -> TlsAcceptor {
    read(files).unwrap_or_else(|error| files.refuse(&error))
}

fn read(files: &TlsFiles) -> Result<TlsAcceptor, Box<dyn Error>> {
    let chain = CertificateDer::pem_file_iter(&files.cert)?.collect::<Result<_, _>>()?;
    let key = PrivateKeyDer::from_pem_file(&files.key)?;
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
