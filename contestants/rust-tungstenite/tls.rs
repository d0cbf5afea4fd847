//! Accepts TLS connections with rustls.

use std::error::Error;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;

use autostrada_kit::TlsFiles;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

pub fn read_config(files: &TlsFiles) -> Arc<ServerConfig> {
    read(files).unwrap_or_else(|error| files.refuse(&error))
}

fn read(files: &TlsFiles) -> Result<Arc<ServerConfig>, Box<dyn Error>> {
    let chain = CertificateDer::pem_file_iter(&files.cert)?.collect::<Result<_, _>>()?;
    let key = PrivateKeyDer::from_pem_file(&files.key)?;
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(Arc::new(config))
}

pub fn accept(
    stream: TcpStream,
    config: Arc<ServerConfig>,
) -> io::Result<StreamOwned<ServerConnection, TcpStream>> {
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    Ok(StreamOwned::new(connection, stream))
}
