//! Tunnels through an HTTP proxy: the CONNECT method of RFC 9110, section 9.3.6.

use base64::engine::{Engine, general_purpose::STANDARD};
use thiserror::Error;

use super::{HeadError, InvalidRequest, MAX_HEADERS, check_host, head_bytes, limit_head};

/// Appends the request for a tunnel to `authority`, a host and its port, to `out`.
///
/// `credentials` are a user and a password, separated by a colon: RFC 7617.
pub fn encode_connect(
    authority: &str,
    credentials: Option<&str>,
    out: &mut Vec<u8>,
) -> Result<(), InvalidRequest> {
    check_host(authority)?;
    let head = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n");
    out.extend_from_slice(head.as_bytes());
    if let Some(credentials) = credentials {
        let encoded = STANDARD.encode(credentials);
        out.extend_from_slice(format!("Proxy-Authorization: Basic {encoded}\r\n").as_bytes());
    }
    out.extend_from_slice(b"\r\n");
    Ok(())
}

/// Decodes the proxy's answer at the front of `input`; returns the length of its head, after which
/// the bytes of the tunnel follow.
///
/// Returns `None` if `input` ends inside the head.
pub fn decode_answer(input: &[u8]) -> Result<Option<usize>, TunnelError> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut head = httparse::Response::new(&mut fields);
    let parsed = head.parse(limit_head(input));
    // Proxies of HTTP/1.0 open tunnels as well.
    let Some(consumed_bytes) = head_bytes(parsed, None, input)? else {
        return Ok(None);
    };
    match head.code {
        Some(200..300) => Ok(Some(consumed_bytes)),
        code => Err(TunnelError::Status {
            code: code.expect("a whole head has a status code"),
            reason: head.reason.unwrap_or_default().to_owned(),
        }),
    }
}

/// Why a proxy opens no tunnel.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TunnelError {
    #[error("the proxy's answer cannot be read: {0}")]
    Head(#[from] HeadError),
    /// The status is not 2xx.
    #[error("the proxy answered {code} {reason}")]
    Status { code: u16, reason: String },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_the_server_and_the_user() {
        let mut request = Vec::new();
        encode_connect("a.example:443", Some("ann:secret"), &mut request).unwrap();
        assert_eq!(
            String::from_utf8(request).unwrap(),
            "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\
             Proxy-Authorization: Basic YW5uOnNlY3JldA==\r\n\r\n"
        );
        assert!(encode_connect("a b:1", None, &mut Vec::new()).is_err());
    }

    #[test]
    fn an_answer_is_read_to_the_end_of_its_head() {
        let head = b"HTTP/1.0 200 Connection established\r\nVia: x\r\n\r\n";
        for end in 0..head.len() {
            assert_eq!(decode_answer(&head[..end]), Ok(None));
        }
        let with_more = [head.as_slice(), b"more"].concat();
        assert_eq!(decode_answer(&with_more), Ok(Some(head.len())));
        let error = decode_answer(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
        assert_eq!(
            error.unwrap_err().to_string(),
            "the proxy answered 407 Proxy Authentication Required"
        );
        assert!(decode_answer(b"\x16\x03\x01").is_err());
    }
}
