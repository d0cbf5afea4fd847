//! Messages with parts that differ: their number, an instant, the connection.

use std::io::Write;

use crate::plan::PlanError;

/// A message as segments, which are written one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Bytes(Vec<u8>),
    Part(Part),
}

/// A part of a message that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Seq,
    NowNs,
    Connection,
    Uuid,
}

/// The names of all parts.
const PARTS: [(&str, Part); 4] = [
    ("seq", Part::Seq),
    ("now_ns", Part::NowNs),
    ("connection", Part::Connection),
    ("uuid", Part::Uuid),
];

/// What the parts of a message are.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    /// Number of the message on its connection, from 0.
    pub number: u64,
    /// Nanoseconds since 1970 at which the message is sent.
    pub unix_ns: u64,
    /// Index of the connection among all, from 0.
    pub connection: u64,
    /// Random bits.
    pub random: [u64; 2],
}

impl Template {
    /// Compiles a message with parts in double braces.
    ///
    /// # Errors
    ///
    /// Returns an error that names all parts if the message has another one, or one without an end.
    pub fn compile(message: &[u8]) -> Result<Self, PlanError> {
        let mut segments = Vec::new();
        let mut rest = message;
        while let Some(start) = find(rest, b"{{") {
            let after = &rest[start + 2..];
            let end = find(after, b"}}").ok_or_else(|| {
                PlanError::new("payload: {{ without }}: close it, or set no template")
            })?;
            if start > 0 {
                segments.push(Segment::Bytes(rest[..start].to_vec()));
            }
            segments.push(Segment::Part(part(&after[..end])?));
            rest = &after[end + 2..];
        }
        if !rest.is_empty() || segments.is_empty() {
            segments.push(Segment::Bytes(rest.to_vec()));
        }
        Ok(Self { segments })
    }

    /// Whether no part differs.
    pub fn is_constant(&self) -> bool {
        let mut segments = self.segments.iter();
        segments.all(|segment| matches!(segment, Segment::Bytes(_)))
    }

    /// Appends the message with these parts.
    #[inline]
    pub fn write(&self, parts: &Parts, out: &mut Vec<u8>) {
        for segment in &self.segments {
            match segment {
                Segment::Bytes(bytes) => out.extend_from_slice(bytes),
                Segment::Part(part) => part.write(parts, out),
            }
        }
    }
}

impl Part {
    fn write(self, parts: &Parts, out: &mut Vec<u8>) {
        let written = match self {
            Self::Seq => write!(out, "{}", parts.number),
            Self::NowNs => write!(out, "{}", parts.unix_ns),
            Self::Connection => write!(out, "{}", parts.connection),
            Self::Uuid => write_uuid(parts.random, out),
        };
        written.expect("a vector takes all bytes");
    }
}

/// Writes a UUID of version 4: RFC 9562, section 5.4.
fn write_uuid([high, low]: [u64; 2], out: &mut Vec<u8>) -> std::io::Result<()> {
    write!(
        out,
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0x3fff | 0x8000,
        low & 0xffff_ffff_ffff
    )
}

fn part(name: &[u8]) -> Result<Part, PlanError> {
    let name = String::from_utf8_lossy(name);
    let known = PARTS.iter().find(|(known, _)| *known == name.trim());
    known.map(|(_, part)| *part).ok_or_else(|| {
        let known = PARTS.map(|(name, _)| format!("{{{{{name}}}}}")).join(", ");
        PlanError::new(format!("payload: {{{{{name}}}}} is unknown: use {known}"))
    })
}

fn find(bytes: &[u8], searched: &[u8]) -> Option<usize> {
    bytes
        .windows(searched.len())
        .position(|window| window == searched)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(message: &str) -> String {
        let parts = Parts {
            number: 7,
            unix_ns: 1_700_000_000_000_000_000,
            connection: 3,
            random: [u64::MAX, 0x0123_4567_89ab_cdef],
        };
        let mut bytes = Vec::new();
        let template = Template::compile(message.as_bytes()).unwrap();
        template.write(&parts, &mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn parts_stand_where_the_message_names_them() {
        assert_eq!(written("hello"), "hello");
        assert_eq!(written(""), "");
        assert_eq!(written(r#"{"n":{{seq}}}"#), r#"{"n":7}"#);
        assert_eq!(
            written("{{connection}}/{{ now_ns }}!"),
            "3/1700000000000000000!"
        );
        assert_eq!(written("{{uuid}}"), "ffffffff-ffff-4fff-8123-456789abcdef");
    }

    #[test]
    fn unknown_parts_are_refused_with_the_known_ones() {
        for (message, remedy) in [("{{time}}", "{{now_ns}}"), ("a {{seq", "}}")] {
            let error = Template::compile(message.as_bytes()).unwrap_err();
            assert!(error.to_string().contains(remedy), "{error}");
        }
    }
}
