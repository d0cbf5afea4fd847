//! Validation of the parts of a request: RFC 9110, section 5, and RFC 9112, section 3.

use thiserror::Error;

/// Checks the value of `Host`.
pub(crate) fn check_host(host: &str) -> Result<(), InvalidRequest> {
    if host.is_empty() || !is_visible(host) {
        return Err(InvalidRequest::Host);
    }
    Ok(())
}

/// Checks the path of a request, including its query.
pub(crate) fn check_path(path: &str) -> Result<(), InvalidRequest> {
    if !path.starts_with('/') || !is_visible(path) || path.contains('#') {
        return Err(InvalidRequest::Path);
    }
    Ok(())
}

/// Checks the header fields that the caller adds to `own_headers`, which the encoder writes.
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

/// Whether `text` is a valid name of a header field: RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let is_token_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token_byte)
}

/// The invalid part of a request: an error of the caller or the user, not of the server.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidRequest {
    #[error("host must be visible ascii and not empty")]
    Host,
    #[error("path must be visible ascii, begin with '/' and have no fragment")]
    Path,
    #[error("{0:?} is not a valid header field name")]
    HeaderName(String),
    #[error("value of header field {0:?} must be printable ascii")]
    HeaderValue(String),
    /// A field that the encoder writes itself.
    #[error("header field {0:?} is set automatically, leave it out")]
    OwnHeader(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_visible_ascii_is_allowed() {
        assert_eq!(check_host("a:80"), Ok(()));
        for host in ["", "a\r\nb: c"] {
            assert_eq!(check_host(host), Err(InvalidRequest::Host));
        }
        assert_eq!(check_path("/a?b=c"), Ok(()));
        for path in ["", "a", "/a b", "/ HTTP/1.1\r\nX: y", "/?sid=\u{e9}", "/#a"] {
            assert_eq!(check_path(path), Err(InvalidRequest::Path), "{path}");
        }
    }

    #[test]
    fn a_field_has_a_token_and_printable_text_and_is_not_the_encoders() {
        use InvalidRequest as E;
        let check = |name, value| check_headers(&[("A", "b"), (name, value)], &["Host"]);
        assert_eq!(check("x-y", "1, 2\t3"), Ok(()));
        for name in ["", "a:b", "a b"] {
            assert_eq!(check(name, "x"), Err(E::HeaderName(name.to_owned())));
        }
        let value = check("x", "y\r\nz: 1");
        assert_eq!(value, Err(E::HeaderValue("x".to_owned())));
        assert_eq!(check("host", "x"), Err(E::OwnHeader("host".to_owned())));
    }
}
