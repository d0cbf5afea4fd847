//! Heads of requests and responses: RFC 9112, sections 2 to 5.

use thiserror::Error;

/// Maximum length of the head of a request or response.
pub const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Maximum number of header fields of a request or response.
pub const MAX_HEADERS: usize = 64;

/// Why the head of a request or response cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum HeadError {
    #[error("head longer than {MAX_HEAD_BYTES} bytes or {MAX_HEADERS} header fields")]
    TooLong,
    #[error("head that is not valid http")]
    NotHttp(#[source] httparse::Error),
    /// The version is HTTP/1.0, which supports neither upgrades nor chunks.
    #[error("http version before 1.1")]
    OldVersion,
}

impl HeadError {
    /// The status code of a server's response to such a head.
    pub(crate) fn status(self) -> u16 {
        match self {
            Self::TooLong => 431,
            Self::OldVersion => 505,
            Self::NotHttp(_) => 400,
        }
    }
}

/// The first [`MAX_HEAD_BYTES`] of `input`: the most that a head may occupy.
pub(crate) fn limit_head(input: &[u8]) -> &[u8] {
    &input[..input.len().min(MAX_HEAD_BYTES)]
}

/// Returns the length of the head in bytes, or `None` if `input` ends inside the head.
///
/// The result does not depend on how the bytes were split: a head that is too
/// long is an error even if it arrives in one piece.
pub(crate) fn head_bytes(
    parsed: httparse::Result<usize>,
    version: Option<u8>,
    input: &[u8],
) -> Result<Option<usize>, HeadError> {
    match parsed {
        Ok(httparse::Status::Complete(_)) if version == Some(0) => Err(HeadError::OldVersion),
        Ok(httparse::Status::Complete(head_bytes)) => Ok(Some(head_bytes)),
        Ok(httparse::Status::Partial) if input.len() < MAX_HEAD_BYTES => Ok(None),
        Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
            Err(HeadError::TooLong)
        }
        Err(cause) => Err(HeadError::NotHttp(cause)),
    }
}

/// The path and query of a request target, which may be a URL (RFC 9112, section 3.2.2).
pub(crate) fn path_of(target: &str) -> &str {
    match target.split_once("://") {
        Some((scheme, rest)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            rest.find('/').map_or("/", |start| &rest[start..])
        }
        _ => target,
    }
}

/// The header fields of a head. Names are case-insensitive.
pub(crate) struct Headers<'h>(pub(crate) &'h [httparse::Header<'h>]);

impl<'h> Headers<'h> {
    pub(crate) fn values(&self, name: &str) -> impl Iterator<Item = &'h [u8]> {
        self.0
            .iter()
            .filter(move |header| header.name.eq_ignore_ascii_case(name))
            .map(|header| header.value.trim_ascii())
    }

    /// The value of a field that occurs exactly once; `None` if it is missing or repeated.
    pub(crate) fn only(&self, name: &str) -> Option<&'h [u8]> {
        let mut values = self.values(name);
        values.next().filter(|_| values.next().is_none())
    }

    /// The elements of a list, which may be spread over several fields of the same name.
    pub(crate) fn elements(&self, name: &str) -> impl Iterator<Item = &'h [u8]> {
        self.values(name).flat_map(elements)
    }

    /// Whether the list contains the element; elements are compared case-insensitively.
    pub(crate) fn has_element(&self, name: &str, element: &str) -> bool {
        self.elements(name)
            .any(|found| found.eq_ignore_ascii_case(element.as_bytes()))
    }

    pub(crate) fn element_strings(&self, name: &str) -> Vec<String> {
        self.elements(name)
            .map(|element| String::from_utf8_lossy(element).into_owned())
            .collect()
    }
}

/// The elements of a comma-separated value. No field read here has quoted commas.
pub(crate) fn elements(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value
        .split(|&byte| byte == b',')
        .map(<[u8]>::trim_ascii)
        .filter(|element| !element.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the head of a response; returns its length.
    fn read(input: &str) -> Result<Option<usize>, HeadError> {
        let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Response::new(&mut fields);
        let parsed = head.parse(limit_head(input.as_bytes()));
        head_bytes(parsed, head.version, input.as_bytes())
    }

    #[test]
    fn a_head_that_is_too_long_is_an_error_at_every_split() {
        let endless = format!("HTTP/1.1 101 \r\nX: {}", "x".repeat(MAX_HEAD_BYTES));
        assert_eq!(read(&endless[..MAX_HEAD_BYTES - 1]), Ok(None));
        for too_long in [
            &endless[..MAX_HEAD_BYTES],
            &endless,
            &format!("{endless}\r\n\r\n"),
            &format!("HTTP/1.1 101 \r\n{}\r\n", "X: y\r\n".repeat(65)),
        ] {
            assert_eq!(read(too_long), Err(HeadError::TooLong));
        }
    }

    #[test]
    fn another_protocol_and_an_old_version_are_errors() {
        let old = read("HTTP/1.0 200 OK\r\n\r\n");
        assert_eq!(old, Err(HeadError::OldVersion));
        let other = read("SSH-2.0-OpenSSH_9.2p1\r\n");
        assert!(matches!(other, Err(HeadError::NotHttp(_))));
    }

    #[test]
    fn a_target_may_be_a_whole_url() {
        let url = "/chat?to=ws://b/c";
        assert_eq!(path_of("ws://a:8008/chat?to=ws://b/c"), url);
        assert_eq!(path_of(url), url);
        assert_eq!(path_of("http://a"), "/");
        assert_eq!(path_of("*"), "*");
    }

    #[test]
    fn a_list_may_be_spread_over_several_fields() {
        let field = |name, value| httparse::Header { name, value };
        let fields = [
            field("Connection", b"keep-alive ,\tUPGRADE, ".as_slice()),
            field("Host", b"a"),
            field("connection", b"x"),
        ];
        let headers = Headers(&fields);
        assert_eq!(
            headers.element_strings("CONNECTION"),
            ["keep-alive", "UPGRADE", "x"]
        );
        assert!(headers.has_element("Connection", "upgrade"));
        assert!(!headers.has_element("Connection", "up"));
        assert_eq!(headers.only("host"), Some(b"a".as_slice()));
        assert_eq!(headers.only("Connection"), None);
        assert_eq!(headers.only("Upgrade"), None);
    }
}
