//! Files of `/proc`, which stay open or are read once.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use nix::errno::Errno;

use crate::source::Missing;

/// Longer than what the kernel writes in one piece.
const READ_BYTES: usize = 8192;

/// A file that the kernel writes in one piece.
pub fn read(file: &File) -> Result<String, Missing> {
    let mut bytes = [0; READ_BYTES];
    let length = read_at(file, &mut bytes, 0).map_err(|error| missing(&error))?;
    Ok(text(&bytes[..length]))
}

/// A file that the kernel writes in pieces, from its beginning to its end.
pub fn read_list(file: &File) -> Result<String, Missing> {
    read_to_end(file).map_err(|error| missing(&error))
}

/// The same, with the error as it is.
pub fn read_to_end(file: &File) -> io::Result<String> {
    let mut bytes = vec![0; READ_BYTES];
    let mut length = 0;
    loop {
        match read_at(file, &mut bytes[length..], length as u64)? {
            0 => return Ok(text(&bytes[..length])),
            more => length += more,
        }
        if length == bytes.len() {
            bytes.resize(2 * length, 0);
        }
    }
}

fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    loop {
        match file.read_at(bytes, offset) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Names of processes may be any bytes.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Why a file of a process cannot be read.
pub fn missing(error: &io::Error) -> Missing {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::ESRCH | Errno::ENOENT) => Missing::Gone,
        _ => Missing::Unreadable(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_to_its_end_however_long_it_is() {
        let name = format!("autostrada-observe-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let text = "12345 ".repeat(READ_BYTES);
        std::fs::write(&path, &text).unwrap();
        let file = File::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read_list(&file), Ok(text));
    }
}
