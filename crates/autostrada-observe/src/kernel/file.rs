//! Reading of files of `/proc`.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use nix::errno::Errno;

use crate::source::Missing;

/// Size of a read, in bytes: more than the kernel returns at once for the files that `read` reads.
const READ_BYTES: usize = 8192;

/// Reads a short file with one system call.
pub fn read(file: &File) -> Result<String, Missing> {
    let mut bytes = [0; READ_BYTES];
    let length = read_at(file, &mut bytes, 0).map_err(|error| missing(&error))?;
    Ok(text(&bytes[..length]))
}

/// Reads a file of any length to its end.
pub fn read_list(file: &File) -> Result<String, Missing> {
    read_to_end(file).map_err(|error| missing(&error))
}

/// Reads a file of any length to its end, with the unconverted error.
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

/// Converts bytes to text. Names of processes may contain invalid UTF-8, which is replaced.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Converts the error of reading a file of a process.
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
