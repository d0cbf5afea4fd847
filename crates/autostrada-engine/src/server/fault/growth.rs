//! A memory leak of known size.

/// Size of one allocation, in bytes.
const CHUNK_BYTES: usize = 1024 * 1024;

/// Memory that grows by a fixed amount with each message. It is written to, so it is resident.
#[derive(Debug)]
pub struct Growth {
    bytes: usize,
    chunks: Vec<Vec<u8>>,
}

impl Growth {
    /// Creates an empty leak that grows by `bytes` each time.
    pub fn new(bytes: usize) -> Self {
        Self {
            bytes,
            chunks: Vec::new(),
        }
    }

    /// Grows by one step.
    pub fn grow(&mut self) {
        let mut left = self.bytes;
        while left > 0 {
            let room = |chunk: &Vec<u8>| chunk.capacity() - chunk.len();
            if self.chunks.last().is_none_or(|chunk| room(chunk) == 0) {
                self.chunks.push(Vec::with_capacity(CHUNK_BYTES));
            }
            let chunk = self
                .chunks
                .last_mut()
                .expect("a chunk was pushed above if there was none");
            let bytes = left.min(room(chunk));
            chunk.resize(chunk.len() + bytes, 1);
            left -= bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_it_is_larger_by_the_same_amount() {
        for bytes in [1, 1000, CHUNK_BYTES] {
            let mut growth = Growth::new(bytes);
            for times in 1..=3 {
                growth.grow();
                let grown: usize = growth.chunks.iter().map(Vec::len).sum();
                assert_eq!(grown, times * bytes);
            }
        }
    }
}
