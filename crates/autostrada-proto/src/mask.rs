//! Masking of payloads: RFC 6455, section 5.3.

/// Masks or unmasks a payload in place; both are the same operation.
///
/// `payload` must start at the start of the frame's payload or a multiple of
/// four bytes after it, because the key repeats every four bytes.
#[inline]
pub fn apply_mask(key: [u8; 4], payload: &mut [u8]) {
    let word = u32::from_ne_bytes(key);
    // Four equal words, so that one vector register holds the repeated key.
    let block = [word; 4];
    let (blocks, rest) = payload.as_chunks_mut::<16>();
    for bytes in blocks {
        mask_block(block, bytes);
    }
    let (words, rest) = rest.as_chunks_mut::<4>();
    for bytes in words {
        *bytes = (u32::from_ne_bytes(*bytes) ^ word).to_ne_bytes();
    }
    for (byte, key_byte) in rest.iter_mut().zip(key) {
        *byte ^= key_byte;
    }
}

#[inline]
fn mask_block(key: [u32; 4], bytes: &mut [u8; 16]) {
    let (words, _) = bytes.as_chunks_mut::<4>();
    for (bytes, key_word) in words.iter_mut().zip(key) {
        *bytes = (u32::from_ne_bytes(*bytes) ^ key_word).to_ne_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn masks_the_example_of_the_rfc() {
        let mut payload = *b"Hello";
        apply_mask([0x37, 0xfa, 0x21, 0x3d], &mut payload);
        assert_eq!(payload, [0x7f, 0x9f, 0x4d, 0x51, 0x58]);
    }

    proptest! {
        #[test]
        fn the_fast_mask_equals_the_slow_one(
            key: [u8; 4],
            payload in prop::collection::vec(any::<u8>(), 0..200),
            start in 0..16_usize,
        ) {
            // A start anywhere in the vector makes the payload unaligned.
            let start = start.min(payload.len());
            let mut slow = payload.clone();
            for (index, byte) in slow[start..].iter_mut().enumerate() {
                *byte ^= key[index % 4];
            }
            let mut fast = payload;
            apply_mask(key, &mut fast[start..]);
            prop_assert_eq!(fast, slow);
        }
    }
}
