//! Buffers that grow with the received bytes, up to a limit.

/// Appends `bytes` to `buffer`. The capacity grows by doubling, up to `bytes_max`.
/// Panics if the result would exceed `bytes_max`; the caller checks it.
pub(crate) fn extend_within(buffer: &mut Vec<u8>, bytes: &[u8], bytes_max: usize) {
    let needed_bytes = buffer.len() + bytes.len();
    assert!(needed_bytes <= bytes_max, "the bound is checked before");
    if needed_bytes > buffer.capacity() {
        let capacity_bytes = buffer.capacity().saturating_mul(2);
        let capacity_bytes = capacity_bytes.min(bytes_max).max(needed_bytes);
        buffer.reserve_exact(capacity_bytes - buffer.len());
    }
    buffer.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacity_is_doubled_up_to_the_bound() {
        let mut buffer = Vec::new();
        let mut capacities = Vec::new();
        for _ in 0..100 {
            extend_within(&mut buffer, &[7; 10], 1_000);
            capacities.push(buffer.capacity());
        }
        capacities.dedup();
        assert_eq!(capacities, [10, 20, 40, 80, 160, 320, 640, 1_000]);
        assert_eq!(buffer, [7; 1_000]);
    }

    #[test]
    #[should_panic(expected = "the bound is checked before")]
    fn the_bound_is_not_exceeded() {
        extend_within(&mut vec![0; 10], &[0], 10);
    }
}
