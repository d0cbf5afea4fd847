//! Long-polling responses whose bodies have a length or are chunked.

use autostrada_proto::decoded::Decoded;
use autostrada_proto::http::client::{Event, ResponseDecoder};
use autostrada_proto::http::{HttpError, MAX_HEAD_BYTES};

use crate::memory::uncounted;
use crate::pieces::{Receiver, Step, receive};
use crate::settings::Settings;

/// The line end after a chunk.
const LINE_END_BYTES: usize = 2;

/// Checks responses.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    check_responses(settings, bytes);
}

/// A response, or the error that ended the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Part,
    Response {
        status: u16,
        keeps_alive: bool,
        body: Vec<u8>,
    },
    Failed(HttpError),
}

struct Client {
    decoder: ResponseDecoder,
    limit_bytes: usize,
}

impl Client {
    fn new(limit_bytes: usize) -> Self {
        Self {
            decoder: ResponseDecoder::new(limit_bytes),
            limit_bytes,
        }
    }
}

impl Receiver for Client {
    type Received = Outcome;

    fn decode(&mut self, input: &mut [u8]) -> Step<Outcome> {
        match self.decoder.decode(input) {
            Ok(Decoded::Incomplete { needed_bytes }) => Step::Incomplete(needed_bytes),
            Ok(Decoded::Event {
                consumed_bytes,
                event,
            }) => match event {
                Event::Part => Step::Consumed(consumed_bytes, Outcome::Part),
                Event::Response(response) => {
                    assert!(response.body.len() <= self.limit_bytes);
                    let outcome = uncounted(|| Outcome::Response {
                        status: response.status,
                        keeps_alive: response.keeps_alive,
                        body: response.body.to_vec(),
                    });
                    Step::Consumed(consumed_bytes, outcome)
                }
            },
            Err(error) => Step::Ended(Outcome::Failed(error)),
        }
    }

    fn bytes_max(&self) -> usize {
        self.limit_bytes
    }

    fn needed_bytes_max(&self) -> usize {
        MAX_HEAD_BYTES.max(self.limit_bytes + LINE_END_BYTES)
    }
}

/// Encoding the responses as a server and decoding them must give the same responses.
fn check_responses(settings: Settings, bytes: &[u8]) {
    let limit_bytes = settings.limit_bytes;
    let outcomes = receive(|| Client::new(limit_bytes), bytes, settings.cuts);
    let mut written = Vec::new();
    let mut expected = Vec::new();
    for outcome in outcomes {
        if let Outcome::Response {
            status,
            keeps_alive,
            body,
        } = &outcome
            // Some statuses have no body, and some three-digit numbers are not valid statuses.
            && (200..600).contains(status)
            && !matches!(status, 204 | 304)
        {
            written.extend(head(*status, *keeps_alive, body.len()).into_bytes());
            written.extend_from_slice(body);
            expected.push(outcome);
        }
    }
    let mut read = receive(|| Client::new(limit_bytes), &written, settings.cuts);
    read.retain(|outcome| *outcome != Outcome::Part);
    assert_eq!(read, expected);
}

fn head(status: u16, keeps_alive: bool, body_bytes: usize) -> String {
    let connection = if keeps_alive { "keep-alive" } else { "close" };
    format!(
        "HTTP/1.1 {status} OK\r\nConnection: {connection}\r\nContent-Length: {body_bytes}\r\n\r\n"
    )
}
