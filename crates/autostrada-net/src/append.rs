//! Appending to a file or a pipe that another process reads.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Appends `bytes` to a file or a pipe, which is open only during the call.
///
/// A pipe without room is an error. At most `PIPE_BUF` (4096) bytes are never written in part.
/// Returns an error if the file cannot be opened, or if a pipe has no reader or no room.
pub fn append_without_waiting(file: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new()
        .append(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(file)?
        .write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::fd::AsRawFd;

    #[test]
    fn the_reader_of_a_pipe_receives_what_is_appended_until_the_pipe_is_full() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let path = format!("/proc/self/fd/{}", reader.as_raw_fd());
        let append = || append_without_waiting(Path::new(&path), &[7; 4096]);
        let mut appended = 0;
        while append().is_ok() {
            appended += 4096;
        }
        drop(writer);
        assert_eq!(append().unwrap_err().kind(), io::ErrorKind::WouldBlock);
        let mut received = Vec::new();
        reader.read_to_end(&mut received).unwrap();
        assert!(appended > 0);
        assert_eq!(received, vec![7; appended]);
    }
}
