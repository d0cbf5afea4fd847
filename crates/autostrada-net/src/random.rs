//! Randomness for handshake keys and masking keys.

/// Returns unpredictable bytes, as RFC 6455 sections 4.1 and 5.3 want of a client.
///
/// # Panics
///
/// When the operating system has no randomness, which a running Linux always has.
#[must_use]
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
