//! Which parts of a request are well formed: RFC 9110, section 5, and RFC 9112, section 3.

use std::error::Error;
use std::fmt;

/// Checks the value of `Host`.
pub(crate) fn check_host(host: &str) -> Result<(), InvalidRequest> {
    if host.is_empty() || !is_visible(host) {
        return Err(InvalidRequest::Host);
    }
    Ok(())
}

/// Checks the path of a request with its query.
pub(crate) fn check_path(path: &str) -> Result<(), InvalidRequest> {
    if !path.starts_with('/') || !is_visible(path) || path.contains('#') {
        return Err(InvalidRequest::Path);
    }
    Ok(())
}

/// Checks header fields of the caller, beside those that the encoder writes itself.
pub(crate) fn check_headers(
    headers: &[(&str, &str)],
    own_headers: &[&str],
) -> Result<(), InvalidRequest> {
    for &(name, value) in headers {
        if !is_token(name) {
            return Err(InvalidRequest::HeaderName(name.to_owned()));
        }
        if own_headers.iter().any(|own| own.eq_ignore_ascii_case(name)) {
            return Err(InvalidRequest::OwnHeader(name.to_owned()));
        }
        if !value
            .bytes()
            .all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
        {
            return Err(InvalidRequest::HeaderValue(name.to_owned()));
        }
    }
    Ok(())
}

fn is_visible(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Whether a header field may have this name: RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let is_token_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token_byte)
}

/// Which part of a request is wrong: our fault, or that of our user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidRequest {
    Host,
    Path,
    HeaderName(String),
    HeaderValue(String),
    /// A field that such a request writes itself.
    OwnHeader(String),
}

impl fmt::Display for InvalidRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("host must be visible ascii, and not empty"),
            Self::Path => {
                f.write_str("path must be visible ascii, begin with '/' and have no fragment")
            }
            Self::HeaderName(name) => write!(f, "{name:?} cannot be the name of a header field"),
            Self::HeaderValue(name) => {
                write!(f, "value of header field {name:?} must be printable ascii")
            }
            Self::OwnHeader(name) => {
                write!(
                    f,
                    "header field {name:?} has a value of its own, leave it out"
                )
            }
        }
    }
}

impl Error for InvalidRequest {}
