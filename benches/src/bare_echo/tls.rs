//! TLS 1.3: connections of rustls over the loop of `epoll(7)`.

use std::convert::Infallible;
use std::error::Error;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use autostrada_benches::{open, socket};
use rustls::client::Resumption;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::version::TLS13;
use rustls::{ClientConfig, ClientConnection, RootCertStore};

use crate::epoll::{self, Connections, Poller};
use crate::frame::{BUFFER_BYTES, MissingBytes, text_frame};

/// Creates the configuration of the engine's client, which trusts the certificates of a file.
pub fn configure(ca_file: &Path) -> Result<Arc<ClientConfig>, Box<dyn Error>> {
    let roots =
        read_certificates(ca_file).map_err(|error| format!("{}: {error}", ca_file.display()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}

fn read_certificates(path: &Path) -> Result<RootCertStore, Box<dyn Error>> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path)? {
        roots.add(certificate?)?;
    }
    Ok(roots)
}

pub struct Connection {
    stream: TcpStream,
    session: ClientConnection,
}

impl Connection {
    /// Opens a connection; the certificate must be valid for the host of the address.
    pub fn open(address: &str, config: &Arc<ClientConfig>) -> Result<Self, Box<dyn Error>> {
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())?;
        let mut session = ClientConnection::new(Arc::clone(config), name)?;
        let mut stream = open::connect(address)?;
        open::upgrade(
            &mut rustls::Stream::new(&mut session, &mut stream),
            address,
            open::ECHO,
            "",
        )?;
        stream.set_nonblocking(true)?;
        Ok(Self { stream, session })
    }
}

/// Keeps one message in flight on each connection.
pub fn run(connections: Vec<Connection>, message: &[u8]) -> io::Result<Infallible> {
    let mut poller = Poller::watch(connections.iter().map(|connection| &connection.stream))?;
    let frame = text_frame(message);
    let mut sessions = Sessions {
        missing: MissingBytes::new(connections.len(), &frame),
        connections,
        frame,
        buffer: vec![0; BUFFER_BYTES],
    };
    epoll::run_closed_loop(&mut poller, &mut sessions)
}

struct Sessions {
    connections: Vec<Connection>,
    missing: MissingBytes,
    frame: Vec<u8>,
    buffer: Vec<u8>,
}

impl Connections for Sessions {
    fn receive(&mut self, index: usize) -> io::Result<bool> {
        let Connection { stream, session } = &mut self.connections[index];
        session.read_tls(&mut Socket(stream))?;
        session
            .process_new_packets()
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        match session.reader().read(&mut self.buffer) {
            Ok(received) => Ok(self.missing.is_complete(index, received)),
            // A part of a record, or a session ticket.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn send(&mut self, index: usize) -> io::Result<()> {
        let Connection { stream, session } = &mut self.connections[index];
        session.writer().write_all(&self.frame)?;
        while session.wants_write() {
            session.write_tls(&mut Socket(stream))?;
        }
        Ok(())
    }
}

/// Adapts the socket to the traits that rustls uses. It does without `writev`, which is slower
/// than `send` for a single record.
struct Socket<'s>(&'s TcpStream);

impl Read for Socket<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        socket::receive(self.0, buffer)
    }
}

impl Write for Socket<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        socket::send(self.0, bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
