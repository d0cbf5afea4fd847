//! Long-polling responses whose bodies have a length or are chunked.

use autostrada_proto::http::HttpError;
use autostrada_proto::http::client::{Response, ResponseDecoder};

use crate::pieces::pieces;
use crate::settings::Settings;

/// Checks responses: encoding them as a server and decoding them must give the same ones.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    let mut written = Vec::new();
    let mut expected = Vec::new();
    for response in receive(settings, bytes).into_iter().flatten() {
        let Response { status, body } = &response;
        // Some statuses have no body, and some three-digit numbers are not valid statuses.
        if (200..600).contains(status) && !matches!(status, 204 | 304) {
            let length = body.len();
            let head = format!("HTTP/1.1 {status} OK\r\nContent-Length: {length}\r\n\r\n");
            written.extend(head.into_bytes());
            written.extend_from_slice(body);
            expected.push(Ok(response));
        }
    }
    assert_eq!(receive(settings, &written), expected);
}

/// Decodes all bytes at once and in pieces, asserts equal responses, and returns them, with the
/// error that ended the connection.
fn receive(settings: Settings, bytes: &[u8]) -> Vec<Result<Response, HttpError>> {
    let at_once = receive_pieces(settings.limit_bytes, std::iter::once(bytes));
    let in_pieces = receive_pieces(settings.limit_bytes, pieces(bytes, settings.cuts));
    assert_eq!(at_once, in_pieces, "the responses depend on the split");
    at_once
}

fn receive_pieces<'b>(
    limit_bytes: usize,
    pieces: impl Iterator<Item = &'b [u8]>,
) -> Vec<Result<Response, HttpError>> {
    let mut decoder = ResponseDecoder::new(limit_bytes);
    let mut outcomes = Vec::new();
    for piece in pieces {
        decoder.receive(piece);
        while let Some(outcome) = decoder.decode().transpose() {
            let has_failed = outcome.is_err();
            if let Ok(response) = &outcome {
                assert!(response.body.len() <= limit_bytes);
            }
            outcomes.push(outcome);
            if has_failed {
                return outcomes;
            }
        }
    }
    outcomes
}
