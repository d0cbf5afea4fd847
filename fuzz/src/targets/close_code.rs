//! Close codes that may be sent: RFC 6455, section 7.4, and the IANA registry.

/// Whether an endpoint may put this code into a close frame.
pub fn may_be_sent(code: u16) -> bool {
    match code {
        // Reserved, or for use inside an endpoint only.
        1004 | 1005 | 1006 | 1015 => false,
        1000..=1014 | 3000..=4999 => true,
        _ => false,
    }
}

/// Whether a failed connection may be closed with this code.
pub fn is_of_failure(code: u16) -> bool {
    may_be_sent(code) && code != 1000
}
