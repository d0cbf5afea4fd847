//! A connection that carries requests: of one session or of several, one at a time.

use autostrada_proto::decoded;
use autostrada_proto::engine_io::{Address, Transport};
use autostrada_proto::http::HttpError;
use autostrada_proto::http::server::{Event, Method, Request, RequestDecoder, Response};

use super::Key;
use crate::server::protocol::socket_io::Heard;
use crate::server::protocol::{Decoded, MESSAGE_BYTES_MAX, Route, Said};
use crate::server::resources::Resources;

/// The path of all requests, without its slashes.
const PATH: &str = "socket.io";

const TEXT: &str = "text/plain; charset=UTF-8";

/// One connection.
#[derive(Debug)]
pub struct Carrier {
    decoder: RequestDecoder,
    /// The session whose poll is to be answered on this connection.
    waits_for: Option<Key>,
    /// The client sends no more requests on it.
    is_last: bool,
}

/// What becomes of a request.
enum Answer {
    /// This status, kind of body and body.
    Now(u16, &'static str, Vec<u8>),
    /// When something is to be said.
    Later(Key),
}

impl Answer {
    fn refusal(code: u8, message: &str) -> Self {
        let body = format!("{{\"code\":{code},\"message\":\"{message}\"}}");
        Self::Now(400, "application/json", body.into_bytes())
    }
}

impl Carrier {
    /// Waits for a request.
    pub fn new() -> Self {
        Self {
            decoder: RequestDecoder::new(MESSAGE_BYTES_MAX),
            waits_for: None,
            is_last: false,
        }
    }

    /// Answers a poll for which there is something to say; returns whether it was the last one.
    pub fn resume(&mut self, resources: &mut Resources, out: &mut Vec<u8>) -> bool {
        let Some(key) = self.waits_for else {
            return false;
        };
        let connection = resources.index;
        let terms = &resources.terms;
        let pollings = &mut resources.pollings;
        let body = match pollings.get(key) {
            // The session is over: there is nothing, and there will be nothing.
            None => b"6".to_vec(),
            Some(polled) => match polled.answer(connection, terms, &resources.message) {
                None => return false,
                Some((body, count, is_last)) => {
                    pollings.new += count;
                    if is_last {
                        pollings.over.push((key, false));
                    }
                    body
                }
            },
        };
        self.waits_for = None;
        respond(200, TEXT, &body, !self.is_last, out);
        self.is_last
    }

    /// Takes what is at the front of `input`; `None`: it is a request for WebSocket.
    pub fn decode(
        &mut self,
        input: &[u8],
        resources: &mut Resources,
        out: &mut Vec<u8>,
    ) -> Option<Decoded> {
        if self.waits_for.is_some() {
            let needed_bytes = input.len() + 1;
            return Some(Decoded::Incomplete { needed_bytes });
        }
        let (consumed_bytes, event) = match self.decoder.decode(input) {
            Ok(decoded::Decoded::Event {
                consumed_bytes,
                event,
            }) => (consumed_bytes, event),
            Ok(decoded::Decoded::Incomplete { needed_bytes }) => {
                return Some(Decoded::Incomplete { needed_bytes });
            }
            Err(error) => return Some(refuse(error, input.len(), out)),
        };
        let (answer, keeps_alive) = match event {
            Event::Upgrade => return None,
            Event::Part => {
                return Some(Decoded::Event {
                    consumed_bytes,
                    event: Said::Nothing,
                });
            }
            Event::Request(request) => (answer(&request, resources), request.keeps_alive),
        };
        self.is_last = !keeps_alive;
        let is_over = match answer {
            Answer::Now(status, kind, body) => {
                respond(status, kind, &body, keeps_alive, out);
                self.is_last
            }
            Answer::Later(key) => {
                self.waits_for = Some(key);
                self.resume(resources, out)
            }
        };
        let event = if is_over {
            Said::Refused
        } else {
            Said::Nothing
        };
        Some(Decoded::Event {
            consumed_bytes,
            event,
        })
    }
}

fn respond(status: u16, content_type: &str, body: &[u8], keeps_alive: bool, out: &mut Vec<u8>) {
    Response {
        status,
        content_type,
        keeps_alive,
        body,
    }
    .encode(out);
}

fn refuse(error: HttpError, consumed_bytes: usize, out: &mut Vec<u8>) -> Decoded {
    crate::log(&format!("refused a client: {error}"));
    respond(
        error.status(),
        TEXT,
        error.to_string().as_bytes(),
        false,
        out,
    );
    Decoded::Event {
        consumed_bytes,
        event: Said::Refused,
    }
}

/// The session that a target is for, if it is one of Engine.IO; otherwise how to refuse it.
///
/// Of WebSocket, a target without a session is right.
pub fn session_of(target: &str) -> Result<(Transport, Option<&str>), String> {
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    if path.trim_matches('/') != PATH {
        return Err(format!("connect to /{PATH}/, and there to a namespace"));
    }
    let address = Address::decode(target).map_err(|error| error.to_string())?;
    Ok((address.transport, address.sid))
}

fn answer(request: &Request<'_>, resources: &mut Resources) -> Answer {
    let (transport, sid) = match session_of(request.path) {
        Ok(address) => address,
        Err(text) => {
            crate::log(&format!("refused a client: {text}"));
            return Answer::refusal(3, &text);
        }
    };
    if transport == Transport::WebSocket || !resources.terms.allows_polling() {
        let remedy = "use WebSocket: polling takes a server of one thread";
        crate::log(&format!("refused a client: {remedy}"));
        return Answer::refusal(3, remedy);
    }
    let Some(sid) = sid else {
        if request.method == Method::Post {
            return Answer::refusal(2, "Bad handshake method");
        }
        let key = resources.pollings.open(&resources.terms);
        wait(key, resources);
        return Answer::Later(key);
    };
    let Some(key) = resources.pollings.find(sid) else {
        return Answer::refusal(1, "Session ID unknown");
    };
    match request.method {
        Method::Get => {
            wait(key, resources);
            Answer::Later(key)
        }
        Method::Post => take(key, request.body, resources),
    }
}

/// Lets the connection whose turn it is wait in place of any other one.
fn wait(key: Key, resources: &mut Resources) {
    let index = resources.index;
    if let Some(polled) = resources.pollings.get(key) {
        let other = polled.wait(index).filter(|&other| other != index);
        resources.pollings.awake.extend(other);
    }
}

fn take(key: Key, body: &[u8], resources: &mut Resources) -> Answer {
    let pollings = &mut resources.pollings;
    let Some(polled) = pollings.get(key) else {
        return Answer::refusal(1, "Session ID unknown");
    };
    match polled.take(body, &resources.terms) {
        Ok(Heard::Nothing) => {}
        Ok(Heard::Asked(route)) => {
            if route != Route::Echo {
                pollings.asked.push((key, route));
            }
        }
        Ok(Heard::Leaving) => pollings.over.push((key, false)),
        Err(fault) => {
            crate::log(&format!("a client broke the protocol: {fault}"));
            pollings.over.push((key, true));
            return Answer::refusal(3, "Bad request");
        }
    }
    pollings.awaken(key);
    Answer::Now(200, "text/html", b"ok".to_vec())
}
