//! The TLS state of a connection, which keeps no buffers: bytes come from and go to its owner.

use std::fmt;
use std::ops::Deref;

use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::server::{ServerConnectionData, UnbufferedServerConnection};
use rustls::unbuffered::{
    ConnectionState, EncodeError, EncodeTlsData, EncryptError, UnbufferedConnectionCommon,
    UnbufferedStatus, WriteTraffic,
};
use rustls::{CommonState, Error};

use super::buffers::{Outgoing, Plaintext};

/// What is to be done when all records are processed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Intent<'a> {
    /// Nothing.
    Receive,
    /// Encrypt these bytes.
    Send(&'a [u8]),
    /// Tell the peer that nothing follows (`close_notify`).
    Close,
}

/// The TLS state of a client or of a server; boxed because their sizes differ.
pub(super) enum Session {
    Client(Box<UnbufferedClientConnection>),
    Server(Box<UnbufferedServerConnection>),
}

impl Session {
    /// Processes the complete records in `incoming`, and then carries out the intent; returns the
    /// number of processed bytes. The others must be given again, before those that follow.
    /// Returns an error if the peer violates TLS. Then `outgoing` ends with the alert that tells
    /// the peer, and this function must not be called again.
    pub fn process(
        &mut self,
        incoming: &mut [u8],
        intent: Intent<'_>,
        received: &mut Plaintext<'_>,
        outgoing: &mut Outgoing,
    ) -> Result<usize, Error> {
        match self {
            Self::Client(client) => process(&mut ***client, incoming, intent, received, outgoing),
            Self::Server(server) => process(&mut ***server, incoming, intent, received, outgoing),
        }
    }
}

impl Deref for Session {
    type Target = CommonState;

    fn deref(&self) -> &CommonState {
        match self {
            Self::Client(client) => client,
            Self::Server(server) => server,
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

/// What clients and servers have in common; rustls has no trait for it.
trait Records: Deref<Target = CommonState> {
    type Data;

    fn next_state<'c, 'i>(
        &'c mut self,
        incoming: &'i mut [u8],
    ) -> UnbufferedStatus<'c, 'i, Self::Data>;
}

impl Records for UnbufferedConnectionCommon<ClientConnectionData> {
    type Data = ClientConnectionData;

    fn next_state<'c, 'i>(
        &'c mut self,
        incoming: &'i mut [u8],
    ) -> UnbufferedStatus<'c, 'i, Self::Data> {
        self.process_tls_records(incoming)
    }
}

impl Records for UnbufferedConnectionCommon<ServerConnectionData> {
    type Data = ServerConnectionData;

    fn next_state<'c, 'i>(
        &'c mut self,
        incoming: &'i mut [u8],
    ) -> UnbufferedStatus<'c, 'i, Self::Data> {
        self.process_tls_records(incoming)
    }
}

fn process<R: Records>(
    records: &mut R,
    incoming: &mut [u8],
    intent: Intent<'_>,
    received: &mut Plaintext<'_>,
    outgoing: &mut Outgoing,
) -> Result<usize, Error> {
    let mut processed = 0;
    loop {
        let UnbufferedStatus { mut discard, state } =
            records.next_state(&mut incoming[processed..]);
        let is_waiting = match state {
            Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                while let Some(record) = traffic.next_record() {
                    let record = record?;
                    discard += record.discard;
                    received.append(record.payload);
                }
                false
            }
            Ok(ConnectionState::EncodeTlsData(data)) => {
                encode(data, outgoing)?;
                false
            }
            Ok(ConnectionState::TransmitTlsData(data)) => {
                // The owner sends them before all that follows.
                data.done();
                false
            }
            Ok(ConnectionState::PeerClosed) => {
                received.has_ended = true;
                false
            }
            Ok(ConnectionState::WriteTraffic(traffic)) => {
                carry_out(intent, traffic, outgoing)?;
                true
            }
            Ok(ConnectionState::BlockedHandshake | ConnectionState::Closed) => {
                if let Intent::Send(_) = intent {
                    return Err(Error::General("not open for sending".to_owned()));
                }
                true
            }
            Ok(state) => return Err(Error::General(format!("unexpected state {state:?}"))),
            Err(error) => {
                processed += discard;
                encode_alert(records, &mut incoming[processed..], outgoing)?;
                return Err(error);
            }
        };
        processed += discard;
        if is_waiting {
            return Ok(processed);
        }
    }
}

fn carry_out<Data>(
    intent: Intent<'_>,
    mut traffic: WriteTraffic<'_, Data>,
    outgoing: &mut Outgoing,
) -> Result<(), Error> {
    let mut attempt = |room: &mut [u8]| match intent {
        Intent::Receive => Ok(0),
        Intent::Send(bytes) => traffic.encrypt(bytes, room),
        Intent::Close => traffic.queue_close_notify(room),
    };
    outgoing.append(|room| match attempt(room) {
        Err(EncryptError::InsufficientSize(size)) => Ok(Err(size)),
        Err(EncryptError::EncryptExhausted) => Err(Error::EncryptError),
        Ok(bytes) => Ok(Ok(bytes)),
    })
}

fn encode<Data>(mut data: EncodeTlsData<'_, Data>, outgoing: &mut Outgoing) -> Result<(), Error> {
    outgoing.append(|room| match data.encode(room) {
        Err(EncodeError::InsufficientSize(size)) => Ok(Err(size)),
        Err(error @ EncodeError::AlreadyEncoded) => Err(Error::General(error.to_string())),
        Ok(bytes) => Ok(Ok(bytes)),
    })
}

/// Encodes what was to be sent when processing failed: it ends with an alert.
fn encode_alert<R: Records>(
    records: &mut R,
    incoming: &mut [u8],
    outgoing: &mut Outgoing,
) -> Result<(), Error> {
    while records.wants_write() {
        match records.next_state(incoming).state {
            Ok(ConnectionState::EncodeTlsData(data)) => encode(data, outgoing)?,
            _ => break,
        }
    }
    Ok(())
}
