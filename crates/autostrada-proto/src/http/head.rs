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
#[path = "tests/head.rs"]
mod tests;
