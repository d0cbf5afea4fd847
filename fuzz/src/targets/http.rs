//! Requests and responses of long-polling, with bodies of a length or in chunks.

use autostrada_proto::decoded::Decoded;
use autostrada_proto::http::client::{RequestEncoder, ResponseDecoder};
use autostrada_proto::http::server::{Method, RequestDecoder, Response};
use autostrada_proto::http::{HttpError, MAX_HEAD_BYTES, client, server};

use crate::memory::uncounted;
use crate::pieces::{Receiver, Step, receive};
use crate::settings::Settings;

const HOST: &str = "127.0.0.1:8000";
/// The end of a line after a chunk.
const LINE_END_BYTES: usize = 2;

/// Checks requests, or responses.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    if settings.has(0) {
        check_requests(settings, bytes);
    } else {
        check_responses(settings, bytes);
    }
}

fn status_of(error: HttpError) -> u16 {
    let status = error.status();
    assert!((400..600).contains(&status));
    status
}

/// A request, or what ended the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Asked {
    Part,
    Request {
        is_post: bool,
        path: String,
        keeps_alive: bool,
        body: Vec<u8>,
    },
    Upgrade,
    Failed(u16),
}

struct Server {
    decoder: RequestDecoder,
    limit_bytes: usize,
    /// What the paths so far may have come to take.
    path_bytes_max: usize,
}

impl Server {
    fn new(limit_bytes: usize) -> Self {
        Self {
            decoder: RequestDecoder::new(limit_bytes),
            limit_bytes,
            path_bytes_max: 0,
        }
    }
}

impl Receiver for Server {
    type Told = Asked;

    fn take(&mut self, input: &mut [u8]) -> Step<Asked> {
        let head_bytes = input.len().min(MAX_HEAD_BYTES);
        self.path_bytes_max = self.path_bytes_max.max(2 * head_bytes);
        match self.decoder.decode(input) {
            Ok(Decoded::Incomplete { needed_bytes }) => Step::Wants(needed_bytes),
            Ok(Decoded::Event {
                consumed_bytes,
                event,
            }) => match event {
                server::Event::Part => Step::Took(consumed_bytes, Asked::Part),
                server::Event::Upgrade => Step::Ended(Asked::Upgrade),
                server::Event::Request(request) => {
                    assert!(request.body.len() <= self.limit_bytes);
                    let asked = uncounted(|| Asked::Request {
                        is_post: request.method == Method::Post,
                        path: request.path.to_owned(),
                        keeps_alive: request.keeps_alive,
                        body: request.body.to_vec(),
                    });
                    Step::Took(consumed_bytes, asked)
                }
            },
            Err(error) => Step::Ended(Asked::Failed(status_of(error))),
        }
    }

    fn bytes_max(&self) -> usize {
        self.limit_bytes + self.path_bytes_max
    }

    fn wanted_bytes_max(&self) -> usize {
        MAX_HEAD_BYTES.max(self.limit_bytes + LINE_END_BYTES)
    }
}

/// What was asked is asked again by our client, and read the same.
fn check_requests(settings: Settings, bytes: &[u8]) {
    let limit_bytes = settings.limit_bytes;
    let asked = receive(|| Server::new(limit_bytes), bytes, settings.cuts);
    let encoder = RequestEncoder::new(HOST, &[]).expect("it is well formed");
    let mut written = Vec::new();
    let mut expected = Vec::new();
    for mut request in asked {
        if let Asked::Request {
            is_post,
            path,
            keeps_alive,
            body,
        } = &mut request
        {
            let is_written = if *is_post {
                encoder.encode_post(path, body, &mut written)
            } else {
                body.clear();
                encoder.encode_get(path, &mut written)
            };
            if is_written.is_ok() {
                *keeps_alive = true;
                expected.push(request);
            }
        }
    }
    let mut read = receive(|| Server::new(limit_bytes), &written, settings.cuts);
    read.retain(|asked| *asked != Asked::Part);
    assert_eq!(read, expected);
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
    type Told = Answered;

    fn take(&mut self, input: &mut [u8]) -> Step<Answered> {
        match self.decoder.decode(input) {
            Ok(Decoded::Incomplete { needed_bytes }) => Step::Wants(needed_bytes),
            Ok(Decoded::Event {
                consumed_bytes,
                event,
            }) => match event {
                client::Event::Part => Step::Took(consumed_bytes, Answered::Part),
                client::Event::Response(response) => {
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

/// What was answered is answered again by our server, and read the same.
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
            let response = Response {
                status: *status,
                content_type: "text/plain; charset=UTF-8",
                keeps_alive: *keeps_alive,
                body,
            };
            response.encode(&mut written);
            expected.push(answer);
        }
    }
    let mut read = receive(|| Client::new(limit_bytes), &written, settings.cuts);
    read.retain(|answered| *answered != Answered::Part);
    assert_eq!(read, expected);
}
