//! Random bytes for handshake keys and masking keys.

/// Returns unpredictable bytes, as RFC 6455, sections 4.1 and 5.3, requires of a client.
/// Panics if the operating system provides no random bytes, which Linux does once it has booted.
pub fn random_bytes<const LENGTH: usize>() -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes).expect("Linux has randomness once it has booted");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_draws_differ() {
        assert_ne!(random_bytes::<16>(), random_bytes::<16>());
    }
}
