//! Responses of long-polling, with bodies of a length or in chunks.

use autostrada_proto::decoded::Decoded;
use autostrada_proto::http::client::{Event, ResponseDecoder};
use autostrada_proto::http::{HttpError, MAX_HEAD_BYTES};

use crate::memory::uncounted;
use crate::pieces::{Receiver, Step, receive};
use crate::settings::Settings;

/// The end of a line after a chunk.
const LINE_END_BYTES: usize = 2;

/// Checks responses.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    check_responses(settings, bytes);
}

/// A response, or what ended the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Answered {
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
    type Received = Answered;

    fn take(&mut self, input: &mut [u8]) -> Step<Answered> {
        match self.decoder.decode(input) {
            Ok(Decoded::Incomplete { needed_bytes }) => Step::Wants(needed_bytes),
            Ok(Decoded::Event {
                consumed_bytes,
                event,
            }) => match event {
                Event::Part => Step::Took(consumed_bytes, Answered::Part),
                Event::Response(response) => {
                    assert!(response.body.len() <= self.limit_bytes);
                    let answered = uncounted(|| Answered::Response {
                        status: response.status,
                        keeps_alive: response.keeps_alive,
                        body: response.body.to_vec(),
                    });
                    Step::Took(consumed_bytes, answered)
                }
            },
            Err(error) => Step::Ended(Answered::Failed(error)),
        }
    }

    fn bytes_max(&self) -> usize {
        self.limit_bytes
    }

    fn wanted_bytes_max(&self) -> usize {
        MAX_HEAD_BYTES.max(self.limit_bytes + LINE_END_BYTES)
    }
}

/// Each response is written again as a server would write it, and read the same.
fn check_responses(settings: Settings, bytes: &[u8]) {
    let limit_bytes = settings.limit_bytes;
    let answered = receive(|| Client::new(limit_bytes), bytes, settings.cuts);
    let mut written = Vec::new();
    let mut expected = Vec::new();
    for answer in answered {
        if let Answered::Response {
            status,
            keeps_alive,
            body,
        } = &answer
            // Some statuses have no body, and some are none, though they have three digits.
            && (200..600).contains(status)
            && !matches!(status, 204 | 304)
        {
            written.extend(head(*status, *keeps_alive, body.len()).into_bytes());
            written.extend_from_slice(body);
            expected.push(answer);
        }
    }
    let mut read = receive(|| Client::new(limit_bytes), &written, settings.cuts);
    read.retain(|answered| *answered != Answered::Part);
    assert_eq!(read, expected);
}

fn head(status: u16, keeps_alive: bool, body_bytes: usize) -> String {
    let connection = if keeps_alive { "keep-alive" } else { "close" };
    format!(
        "HTTP/1.1 {status} OK\r\nConnection: {connection}\r\nContent-Length: {body_bytes}\r\n\r\n"
    )
}
