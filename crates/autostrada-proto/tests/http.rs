//! HTTP client: encoding of requests and decoding of responses.

use autostrada_proto::http::client::{RequestEncoder, Response, ResponseDecoder};
use autostrada_proto::http::{HeadError, HttpError, InvalidRequest, MAX_HEAD_BYTES};

const MAX_BODY_BYTES: usize = 1000;

/// Response of a Node.js 20 server to a poll.
const NODE: &[u8] = b"HTTP/1.1 200 OK\r\nVary: Origin\r\n\
    Content-Type: text/plain; charset=UTF-8\r\nContent-Length: 5\r\ncache-control: no-store\r\n\
    Date: Fri, 20 Nov 2026 22:40:31 GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n\
    bAP8=";

/// Response of aiohttp 3.14 to a POST request.
const AIOHTTP: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\
    Access-Control-Allow-Credentials: true\r\nContent-Length: 2\r\n\
    Date: Fri, 20 Nov 2026 22:40:20 GMT\r\nServer: Python/3.11 aiohttp/3.14.5\r\n\r\nOK";

const CHUNKED: &[u8] =
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nConnection: Close\r\n\r\n\
    5\r\nHello\r\nA;name=value\r\n chunked w\r\n4\r\norld\r\n0\r\nX-Trailer: 1\r\n\r\n";

/// Decodes the responses in further bytes.
fn receive(decoder: &mut ResponseDecoder, bytes: &[u8]) -> Result<Vec<Response>, HttpError> {
    decoder.receive(bytes);
    std::iter::from_fn(|| decoder.decode().transpose()).collect()
}

fn decoder() -> ResponseDecoder {
    ResponseDecoder::new(MAX_BODY_BYTES)
}

fn response(status: u16, body: &[u8]) -> Response {
    Response {
        status,
        body: body.to_vec(),
    }
}

fn error_of(bytes: &[u8]) -> HttpError {
    let at_once = receive(&mut decoder(), bytes).unwrap_err();
    let mut decoder = decoder();
    let step_bytes = bytes.len().div_ceil(2000);
    let result = bytes
        .chunks(step_bytes)
        .try_for_each(|part| receive(&mut decoder, part).map(drop));
    assert_eq!(result, Err(at_once), "{}", bytes.escape_ascii());
    at_once
}

#[test]
fn responses_of_servers_are_complete_at_their_last_byte() {
    for (bytes, body) in [
        (NODE, b"bAP8=".as_slice()),
        (CHUNKED, b"Hello chunked world"),
        (AIOHTTP, b"OK"),
    ] {
        let mut decoder = decoder();
        let (last, before) = bytes.split_last().unwrap();
        for byte in before {
            assert_eq!(receive(&mut decoder, &[*byte]), Ok(Vec::new()));
        }
        let responses = receive(&mut decoder, &[*last]);
        assert_eq!(responses, Ok(vec![response(200, body)]));
        let twice = receive(&mut decoder, &bytes.repeat(2));
        assert_eq!(twice, Ok(vec![response(200, body); 2]));
    }
}

#[test]
fn some_responses_have_no_body() {
    let mut decoder = ResponseDecoder::new(0);
    let responses = receive(
        &mut decoder,
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n\
          HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nContent-Encoding: identity\r\n\r\n\
          HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\
          HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    );
    let expected = [204, 400, 200, 200].map(|status| response(status, b""));
    assert_eq!(responses, Ok(expected.to_vec()));
    assert!(decoder.is_empty());
}

#[test]
fn a_body_must_have_one_length() {
    use HttpError as E;
    let with = |fields: &str| format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n").into_bytes();
    for (fields, error) in [
        ("X: y", E::NoLength),
        ("Content-Length: five", E::InvalidLength),
        ("Content-Length: +5", E::InvalidLength),
        ("Content-Length: ", E::InvalidLength),
        ("Content-Length: 5, 5", E::InvalidLength),
        ("Content-Length: 5\r\nContent-Length: 5", E::InvalidLength),
        ("Content-Length: 99999999999999999999", E::InvalidLength),
        (
            "Content-Length: 5\r\nTransfer-Encoding: chunked",
            E::InvalidLength,
        ),
        ("Transfer-Encoding: gzip", E::InvalidLength),
        ("Transfer-Encoding: gzip, chunked", E::InvalidLength),
        ("Transfer-Encoding: chunked, chunked", E::InvalidLength),
        (
            "Content-Length: 5\r\nContent-Encoding: gzip",
            E::ContentEncoding,
        ),
        ("Content-Length: 1001", E::BodyTooLong),
        ("Content-Length: 18446744073709551615", E::BodyTooLong),
    ] {
        assert_eq!(error_of(&with(fields)), error, "{fields}");
    }
}

#[test]
fn chunks_must_be_well_formed_and_within_the_limit() {
    use HttpError as E;
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let with = |chunks: &[u8]| [head, chunks].concat();
    let full = [b"3e8\r\n".as_slice(), &[b'a'; 1000], b"\r\n"].concat();
    for (chunks, error) in [
        (b"x\r\n".as_slice(), E::InvalidChunk),
        (b"\r\n", E::InvalidChunk),
        (b"1\r\nabc", E::InvalidChunk),
        (b"1\r\na\nb", E::InvalidChunk),
        (b"1\r\na\r\n\r\n", E::InvalidChunk),
        (b"11111111111111111\r\n", E::InvalidChunk),
        (&[b"1;".as_slice(), &[b'x'; 1100]].concat(), E::InvalidChunk),
        (b"3e9\r\n", E::BodyTooLong),
        (b"ffffffffffffffff\r\n", E::BodyTooLong),
        (&[&full, b"1\r\n".as_slice()].concat(), E::BodyTooLong),
        (
            &[b"0\r\nX: ".as_slice(), &[b'x'; MAX_HEAD_BYTES]].concat(),
            E::Head(HeadError::TooLong),
        ),
    ] {
        assert_eq!(error_of(&with(chunks)), error, "{}", chunks.escape_ascii());
    }
    let whole = [&full, b"0\r\n\r\n".as_slice()].concat();
    let responses = receive(&mut decoder(), &with(&whole));
    assert_eq!(responses, Ok(vec![response(200, &[b'a'; 1000])]));
}

#[test]
fn an_invalid_head_is_an_error() {
    let old = error_of(b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(old, HttpError::Head(HeadError::OldVersion));
}

#[test]
fn requests_contain_the_required_fields() {
    let headers = [("Cookie", "a=b"), ("Accept", "*/*")];
    let encoder = RequestEncoder::new("localhost:8000", &headers).unwrap();
    let mut out = Vec::new();
    encoder.encode_get("/socket.io/?EIO=4", &mut out).unwrap();
    let get = "GET /socket.io/?EIO=4 HTTP/1.1\r\nHost: localhost:8000\r\n\
        Cookie: a=b\r\nAccept: */*\r\n\r\n";
    assert_eq!(std::str::from_utf8(&out), Ok(get));
    out.clear();
    encoder
        .encode_post("/?sid=x", b"42[\"a\"]", &mut out)
        .unwrap();
    let post = "POST /?sid=x HTTP/1.1\r\nHost: localhost:8000\r\nCookie: a=b\r\nAccept: */*\r\n\
        Content-Type: text/plain;charset=UTF-8\r\nContent-Length: 7\r\n\r\n42[\"a\"]";
    assert_eq!(std::str::from_utf8(&out), Ok(post));
}

#[test]
fn invalid_parts_of_a_request_are_errors() {
    use InvalidRequest as E;
    let own = "content-length";
    let error = |host, headers| RequestEncoder::new(host, headers).unwrap_err();
    assert_eq!(error("", &[]), E::Host);
    assert_eq!(error("a", &[(own, "1")]), E::OwnHeader(own.to_owned()));
    let encoder = RequestEncoder::new("a", &[]).unwrap();
    let mut out = Vec::new();
    assert_eq!(encoder.encode_get("a", &mut out), Err(E::Path));
    assert_eq!(encoder.encode_post("a", b"", &mut out), Err(E::Path));
    assert!(out.is_empty());
}
