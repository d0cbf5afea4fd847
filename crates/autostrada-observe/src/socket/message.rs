//! Encoding of requests for sockets, and decoding of answers: `netlink(7)`, `sock_diag(7)`.

use std::net::{IpAddr, SocketAddr};

use super::tcp_info::{TcpInfo, number};

const HEADER_BYTES: usize = 16;
const REQUEST_BYTES: usize = 56;
const IDENTIFIER_BYTES: usize = 48;
/// Length of the cookie at the end of an identifier; all ones stand for any cookie.
const COOKIE_BYTES: usize = 8;
const DESCRIPTION_BYTES: usize = 72;
const ALIGNMENT: usize = 4;

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_DUMP: u16 = 0x300;
const IPPROTO_TCP: u8 = 6;
const INET_DIAG_INFO: u16 = 2;
const INET_DIAG_SKMEMINFO: u16 = 7;

/// `ESTABLISHED`, `FIN_WAIT1`, `FIN_WAIT2` and `CLOSE_WAIT`: states in which a process may have the
/// socket open.
const STATES: u32 = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 8;

/// IPv4.
pub const AF_INET: u8 = 2;
/// IPv6, including IPv4 connections of dual-stack sockets.
pub const AF_INET6: u8 = 10;

/// The identity of one socket, or the addresses of both its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    family: u8,
    /// `struct inet_diag_sockid`: ports, addresses, device and cookie.
    identifier: [u8; IDENTIFIER_BYTES],
}

impl Address {
    /// Returns the address of the socket between two ends, whichever socket that is.
    pub fn between(local: SocketAddr, peer: SocketAddr) -> Self {
        let mut identifier = [0xff; IDENTIFIER_BYTES];
        identifier[..IDENTIFIER_BYTES - COOKIE_BYTES].fill(0);
        identifier[..2].copy_from_slice(&local.port().to_be_bytes());
        identifier[2..4].copy_from_slice(&peer.port().to_be_bytes());
        for (ip, place) in [(local.ip(), 4), (peer.ip(), 20)] {
            match ip {
                IpAddr::V4(ip) => identifier[place..place + 4].copy_from_slice(&ip.octets()),
                IpAddr::V6(ip) => identifier[place..place + 16].copy_from_slice(&ip.octets()),
            }
        }
        Self {
            family: if local.is_ipv4() { AF_INET } else { AF_INET6 },
            identifier,
        }
    }

    /// Returns the number that no other socket of this machine has before a restart.
    pub fn cookie(&self) -> u64 {
        let (_, cookie) = self
            .identifier
            .split_last_chunk()
            .expect("an identifier is longer than a cookie");
        u64::from_ne_bytes(*cookie)
    }

    #[cfg(test)]
    pub fn local_port(&self) -> u16 {
        u16::from_be_bytes([self.identifier[0], self.identifier[1]])
    }

    /// Returns an address that no socket has.
    #[cfg(test)]
    pub fn of_cookie(cookie: u64) -> Self {
        let mut identifier = [0; IDENTIFIER_BYTES];
        identifier[IDENTIFIER_BYTES - COOKIE_BYTES..].copy_from_slice(&cookie.to_ne_bytes());
        Self {
            family: AF_INET,
            identifier,
        }
    }
}

/// The description of one socket in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketDescription {
    /// The identity, with which it can be queried again.
    pub address: Address,
    /// The inode of its file; 0 if no process has it open.
    pub inode: u32,
    /// Bytes received and not read.
    pub receive_queue_bytes: u32,
    /// Bytes written and not acknowledged.
    pub send_queue_bytes: u32,
    /// Memory that the kernel has charged to the socket, in bytes; 0 if it was not requested.
    pub memory_bytes: u64,
    /// The TCP metrics; `None` if they were not requested or are incomplete.
    pub info: Option<TcpInfo>,
}

/// One answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// A socket; `None` if it is no connection in one of the requested states.
    Socket(Option<SocketDescription>),
    /// The end of a list.
    Done,
    /// An error, by its number (`errno(3)`).
    Failed(i32),
}

/// Appends a request for one socket with its `tcp_info` and its memory.
pub fn encode_query(address: &Address, sequence: u32, request: &mut Vec<u8>) {
    add_header(NLM_F_REQUEST, sequence, request);
    let requested = 1 << (INET_DIAG_INFO - 1) | 1 << (INET_DIAG_SKMEMINFO - 1);
    request.extend([address.family, IPPROTO_TCP, requested, 0]);
    request.extend(STATES.to_ne_bytes());
    request.extend(address.identifier);
}

/// Appends a request for the list of all connections of a family.
pub fn encode_list_query(family: u8, sequence: u32, request: &mut Vec<u8>) {
    add_header(NLM_F_REQUEST | NLM_F_DUMP, sequence, request);
    request.extend([family, IPPROTO_TCP, 0, 0]);
    request.extend(STATES.to_ne_bytes());
    request.extend([0; IDENTIFIER_BYTES]);
}

fn add_header(flags: u16, sequence: u32, request: &mut Vec<u8>) {
    let length = u32::try_from(HEADER_BYTES + REQUEST_BYTES).expect("a request is short");
    request.extend(length.to_ne_bytes());
    request.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    request.extend(flags.to_ne_bytes());
    request.extend(sequence.to_ne_bytes());
    request.extend([0; 4]);
}

/// Returns the answers in received bytes, each with the sequence number of its request.
///
/// Skips messages of other kinds, and ends at a truncated message.
pub fn answers(received: &[u8]) -> impl Iterator<Item = (u32, Answer)> {
    let mut rest = received;
    std::iter::from_fn(move || {
        let length = usize::try_from(number(rest, 0)?).ok()?;
        let payload = rest.get(HEADER_BYTES..length)?;
        let header = (short_number(rest, 4)?, number(rest, 8)?);
        rest = after(rest, length);
        Some((header, payload))
    })
    .filter_map(|((kind, sequence), payload)| Some((sequence, answer(kind, payload)?)))
}

fn answer(kind: u16, payload: &[u8]) -> Option<Answer> {
    match kind {
        SOCK_DIAG_BY_FAMILY => Some(Answer::Socket(describe(payload))),
        NLMSG_DONE if error(payload)? <= 0 => Some(Answer::Done),
        NLMSG_DONE | NLMSG_ERROR => Some(Answer::Failed(error(payload)?)),
        _ => None,
    }
}

/// Returns the error number of an answer, in which it is negative.
fn error(payload: &[u8]) -> Option<i32> {
    Some(number(payload, 0)?.cast_signed().saturating_neg())
}

/// Reads `struct inet_diag_msg` and the attributes after it.
fn describe(payload: &[u8]) -> Option<SocketDescription> {
    let (fixed, attributes) = payload.split_at_checked(DESCRIPTION_BYTES)?;
    let state = *fixed.get(1)?;
    if STATES.checked_shr(state.into())? & 1 == 0 {
        return None;
    }
    let identifier = fixed.get(4..)?.first_chunk()?;
    Some(SocketDescription {
        address: Address {
            family: fixed[0],
            identifier: *identifier,
        },
        receive_queue_bytes: number(fixed, 56)?,
        send_queue_bytes: number(fixed, 60)?,
        inode: number(fixed, 68)?,
        memory_bytes: attribute(attributes, INET_DIAG_SKMEMINFO)
            .and_then(charged_bytes)
            .unwrap_or(0),
        info: attribute(attributes, INET_DIAG_INFO).and_then(TcpInfo::parse),
    })
}

/// Returns the memory charged to a socket: receive queue, memory reserved for further data, and send
/// queue (`SK_MEMINFO_RMEM_ALLOC`, `_FWD_ALLOC` and `_WMEM_QUEUED` of `linux/sock_diag.h`).
fn charged_bytes(memory: &[u8]) -> Option<u64> {
    let reserved = number(memory, 16)?.cast_signed().max(0).cast_unsigned();
    let queued = u64::from(number(memory, 0)?) + u64::from(number(memory, 20)?);
    Some(queued + u64::from(reserved))
}

fn attribute(attributes: &[u8], wanted: u16) -> Option<&[u8]> {
    let mut rest = attributes;
    loop {
        let length = usize::from(short_number(rest, 0)?);
        let payload = rest.get(ALIGNMENT..length)?;
        if short_number(rest, 2)? == wanted {
            return Some(payload);
        }
        rest = after(rest, length);
    }
}

/// Returns the bytes after the first `length` bytes and their padding.
fn after(bytes: &[u8], length: usize) -> &[u8] {
    bytes
        .get(length.next_multiple_of(ALIGNMENT)..)
        .unwrap_or_default()
}

fn short_number(bytes: &[u8], offset: usize) -> Option<u16> {
    let (bytes, _) = bytes.get(offset..)?.split_first_chunk()?;
    Some(u16::from_ne_bytes(*bytes))
}

#[cfg(test)]
#[path = "tests/message.rs"]
mod tests;
