//! Texts with parts that differ: a number, an instant, the connection, what belongs to its user.

use std::io::Write;

use autostrada_net::{clock, random_bytes};
use csv::StringRecord;

use crate::plan::PlanError;

/// A text as segments, which are written one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Bytes(Vec<u8>),
    Part(Part),
}

/// A part of a text that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Seq,
    NowNs,
    Connection,
    Uuid,
    /// The value of the column of users with this index.
    Column(usize),
}

/// The names of the parts that need no users.
const PARTS: [(&str, Part); 4] = [
    ("seq", Part::Seq),
    ("now_ns", Part::NowNs),
    ("connection", Part::Connection),
    ("uuid", Part::Uuid),
];

/// What the parts of a text are.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// Number of the message on its connection, from 0.
    pub number: u64,
    /// Nanoseconds since 1970 at which the message is sent.
    pub unix_ns: u64,
    /// Index of the connection among all, from 0.
    pub connection: u64,
    /// Random bits.
    pub random: [u64; 2],
    /// The values of the connection's user; `None` without users.
    pub user: Option<&'a StringRecord>,
}

impl<'a> Parts<'a> {
    /// Returns the parts of what a connection sends when it opens, by its index among all.
    pub fn of_opening(connection: u64, user: Option<&'a StringRecord>) -> Self {
        Self {
            number: 0,
            unix_ns: clock::unix_ns(),
            connection,
            random: [random_bytes(), random_bytes()].map(u64::from_ne_bytes),
            user,
        }
    }
}

impl Template {
    /// Compiles a text with parts in double braces; `columns` are those of the users.
    /// Returns an error that names all parts if the text has another one, or one without an end.
    pub fn compile(text: &[u8], columns: &[String]) -> Result<Self, PlanError> {
        let mut segments = Vec::new();
        let mut rest = text;
        while let Some(start) = find(rest, b"{{") {
            let after = &rest[start + 2..];
            let end = find(after, b"}}").ok_or_else(|| {
                PlanError::new("{{ without }} after it: close it, or set no template")
            })?;
            if start > 0 {
                segments.push(Segment::Bytes(rest[..start].to_vec()));
            }
            segments.push(Segment::Part(part(&after[..end], columns)?));
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

    /// Returns the text with these parts.
    /// Panics if the template was compiled from bytes that are not UTF-8.
    pub fn written(&self, parts: &Parts<'_>) -> String {
        let mut bytes = Vec::new();
        self.write(parts, &mut bytes);
        String::from_utf8(bytes).expect("templates and values are UTF-8")
    }

    /// Appends the text with these parts.
    #[inline]
    pub fn write(&self, parts: &Parts<'_>, out: &mut Vec<u8>) {
        for segment in &self.segments {
            match segment {
                Segment::Bytes(bytes) => out.extend_from_slice(bytes),
                Segment::Part(part) => part.write(parts, out),
            }
        }
    }
}

impl Part {
    fn write(self, parts: &Parts<'_>, out: &mut Vec<u8>) {
        let written = match self {
            Self::Seq => write!(out, "{}", parts.number),
            Self::NowNs => write!(out, "{}", parts.unix_ns),
            Self::Connection => write!(out, "{}", parts.connection),
            Self::Uuid => write_uuid(parts.random, out),
            Self::Column(column) => {
                let value = parts.user.and_then(|user| user.get(column));
                out.write_all(value.unwrap_or_default().as_bytes())
            }
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

fn part(name: &[u8], columns: &[String]) -> Result<Part, PlanError> {
    let name = String::from_utf8_lossy(name);
    let name = name.trim();
    if let Some((_, part)) = PARTS.iter().find(|(known, _)| *known == name) {
        return Ok(*part);
    }
    let column = columns.iter().position(|column| column == name);
    column.map(Part::Column).ok_or_else(|| {
        let known = PARTS.iter().map(|(name, _)| *name);
        let known = known.chain(columns.iter().map(String::as_str));
        let known: Vec<_> = known.map(|name| format!("{{{{{name}}}}}")).collect();
        let known = known.join(", ");
        PlanError::new(format!("{{{{{name}}}}} is unknown: use {known}"))
    })
}

fn find(bytes: &[u8], searched: &[u8]) -> Option<usize> {
    bytes
        .windows(searched.len())
        .position(|window| window == searched)
}

#[cfg(test)]
#[path = "tests/template.rs"]
mod tests;
