//! Bodies of requests and responses, with a length or chunked: RFC 9112, sections 6 and 7.

use super::{HeadError, Headers, HttpError, MAX_HEAD_BYTES, MAX_HEADERS, limit_head};
use crate::buffer::extend_within;

/// Maximum length of a chunk-size line, including chunk extensions, which are skipped.
const MAX_CHUNK_LINE_BYTES: usize = 1024;
const LINE_END: &[u8; 2] = b"\r\n";

/// The part of the body that the next input begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The whole body, of this length in bytes.
    Whole(usize),
    ChunkSize,
    /// A chunk of this length in bytes, and its line end.
    Chunk(usize),
    /// The trailer fields after the last chunk.
    Trailer,
}

/// A part of a body.
pub(super) struct BodyPart {
    pub consumed_bytes: usize,
    /// The whole body if this part completes it.
    pub body: Option<Vec<u8>>,
}

/// Decodes the bodies of consecutive messages.
#[derive(Debug)]
pub(super) struct BodyDecoder {
    max_body_bytes: usize,
    part: Part,
    /// The data of the chunks received so far.
    gathered: Vec<u8>,
}

impl BodyDecoder {
    pub(super) fn new(max_body_bytes: usize) -> Self {
        Self {
            max_body_bytes,
            part: Part::Whole(0),
            gathered: Vec::new(),
        }
    }

    /// Prepares for the body that `headers` announce. Returns whether they announce one.
    pub(super) fn begin(&mut self, headers: &Headers<'_>) -> Result<bool, HttpError> {
        if headers
            .elements("Content-Encoding")
            .any(|coding| !coding.eq_ignore_ascii_case(b"identity"))
        {
            return Err(HttpError::ContentEncoding);
        }
        let mut codings = headers.elements("Transfer-Encoding");
        let mut lengths = headers.values("Content-Length");
        self.part = match (codings.next(), lengths.next()) {
            (None, None) => {
                self.part = Part::Whole(0);
                return Ok(false);
            }
            (None, Some(length)) if lengths.next().is_none() => {
                let length = decode_length(length).ok_or(HttpError::InvalidLength)?;
                if length > self.max_body_bytes as u64 {
                    return Err(HttpError::BodyTooLong);
                }
                Part::Whole(usize::try_from(length).expect("the length is within the limit"))
            }
            (Some(coding), None)
                if coding.eq_ignore_ascii_case(b"chunked") && codings.next().is_none() =>
            {
                self.gathered.clear();
                Part::ChunkSize
            }
            _ => return Err(HttpError::InvalidLength),
        };
        Ok(true)
    }

    /// Whether the body has a length of zero.
    pub(super) fn is_empty(&self) -> bool {
        self.part == Part::Whole(0)
    }

    /// Decodes the part of the body at the front of `input`; `None` if `input` ends inside of it.
    pub(super) fn decode(&mut self, input: &[u8]) -> Result<Option<BodyPart>, HttpError> {
        match self.part {
            Part::Whole(length) => Ok(input.get(..length).map(|body| BodyPart {
                consumed_bytes: length,
                body: Some(body.to_vec()),
            })),
            Part::ChunkSize => self.decode_chunk_size(input),
            Part::Chunk(length) => self.decode_chunk(input, length),
            Part::Trailer => self.decode_trailer(input),
        }
    }

    fn decode_chunk_size(&mut self, input: &[u8]) -> Result<Option<BodyPart>, HttpError> {
        let line = &input[..input.len().min(MAX_CHUNK_LINE_BYTES)];
        // The parser reads a line without digits as a chunk of length 0.
        if line.first().is_some_and(|byte| !byte.is_ascii_hexdigit()) {
            return Err(HttpError::InvalidChunk);
        }
        let Ok(parsed) = httparse::parse_chunk_size(line) else {
            return Err(HttpError::InvalidChunk);
        };
        let httparse::Status::Complete((consumed_bytes, length)) = parsed else {
            if line.len() == MAX_CHUNK_LINE_BYTES {
                return Err(HttpError::InvalidChunk);
            }
            return Ok(None);
        };
        let left_bytes = self.max_body_bytes - self.gathered.len();
        self.part = match usize::try_from(length) {
            Ok(0) => Part::Trailer,
            Ok(length) if length <= left_bytes => Part::Chunk(length),
            _ => return Err(HttpError::BodyTooLong),
        };
        Ok(Some(BodyPart {
            consumed_bytes,
            body: None,
        }))
    }

    fn decode_chunk(&mut self, input: &[u8], length: usize) -> Result<Option<BodyPart>, HttpError> {
        let Some((chunk, rest)) = input.split_at_checked(length) else {
            return Ok(None);
        };
        if !rest.starts_with(LINE_END) {
            let is_early_end = LINE_END.starts_with(rest);
            return is_early_end.then_some(None).ok_or(HttpError::InvalidChunk);
        }
        extend_within(&mut self.gathered, chunk, self.max_body_bytes);
        self.part = Part::ChunkSize;
        Ok(Some(BodyPart {
            consumed_bytes: length + LINE_END.len(),
            body: None,
        }))
    }

    /// Skips the trailer fields, of which there are usually none.
    fn decode_trailer(&mut self, input: &[u8]) -> Result<Option<BodyPart>, HttpError> {
        let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
        match httparse::parse_headers(limit_head(input), &mut fields) {
            Ok(httparse::Status::Complete((consumed_bytes, _))) => Ok(Some(BodyPart {
                consumed_bytes,
                body: Some(std::mem::take(&mut self.gathered)),
            })),
            Ok(httparse::Status::Partial) if input.len() < MAX_HEAD_BYTES => Ok(None),
            Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
                Err(HttpError::Head(HeadError::TooLong))
            }
            Err(cause) => Err(HttpError::Head(HeadError::NotHttp(cause))),
        }
    }
}

/// Parses a `Content-Length`, which consists of digits only: no sign, no list.
fn decode_length(value: &[u8]) -> Option<u64> {
    let digits = str::from_utf8(value).ok()?;
    let is_decimal = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_decimal)
}
