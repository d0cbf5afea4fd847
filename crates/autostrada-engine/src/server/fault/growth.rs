//! Memory that is taken and never given back.

/// What is asked of the system at once.
const CHUNK_BYTES: usize = 1024 * 1024;

/// Memory that grows by a known amount with each message, and is resident: it is written to.
#[derive(Debug)]
pub struct Growth {
    bytes: usize,
    chunks: Vec<Vec<u8>>,
}

impl Growth {
    /// Grows by so many bytes each time.
    pub fn new(bytes: usize) -> Self {
        Self {
            bytes,
            chunks: Vec::new(),
        }
    }

    /// Grows.
    pub fn grow(&mut self) {
        let mut left = self.bytes;
        while left > 0 {
            let room = |chunk: &Vec<u8>| chunk.capacity() - chunk.len();
            if self.chunks.last().is_none_or(|chunk| room(chunk) == 0) {
                self.chunks.push(Vec::with_capacity(CHUNK_BYTES));
            }
            let chunk = self.chunks.last_mut().expect("one was pushed just above");
            let taken = left.min(room(chunk));
            chunk.resize(chunk.len() + taken, 1);
            left -= taken;
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
