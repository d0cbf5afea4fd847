//! The live display of `load`, in a pseudo-terminal of 80 × 24.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use nix::pty::{Winsize, openpty};

use crate::process::echo_server;

/// A running load whose terminal is the other end of a file; it is killed when dropped.
struct InTerminal {
    child: Child,
    terminal: File,
    output: String,
}

impl InTerminal {
    fn start(arguments: &[&str]) -> Self {
        let size = Winsize {
            ws_row: 24,
            ws_col: 80,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let ends = openpty(&size, None).unwrap();
        let slave = || Stdio::from(ends.slave.try_clone().unwrap());
        let child = Command::new(env!("CARGO_BIN_EXE_autostrada-engine"))
            .arg("load")
            .args(arguments)
            .stdin(slave())
            .stdout(slave())
            .stderr(slave())
            .spawn()
            .unwrap();
        Self {
            child,
            terminal: File::from(ends.master),
            output: String::new(),
        }
    }

    /// Reads from the terminal until a text has appeared.
    fn read_until(&mut self, text: &str) {
        while !self.output.contains(text) {
            assert!(self.read(), "{text} is not in {}", self.output);
        }
    }

    /// Reads once; returns `false` at the end: the terminal of a process that has ended is an error.
    fn read(&mut self) -> bool {
        let mut buffer = [0; 4096];
        let length = self.terminal.read(&mut buffer).unwrap_or(0);
        self.output += &String::from_utf8_lossy(&buffer[..length]);
        length > 0
    }

    fn press(&mut self, keys: &[u8]) {
        self.terminal.write_all(keys).unwrap();
    }

    /// Reads the rest; returns the exit status, and what was printed after the display.
    fn finish(&mut self) -> (Option<i32>, String) {
        while self.read() {}
        let status = self.child.wait().unwrap();
        let after = self.output.rsplit_once("\x1b[?1049l");
        (
            status.code(),
            after.map_or_else(String::new, |(_, after)| after.to_owned()),
        )
    }
}

impl Drop for InTerminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn keys_stop_a_load_and_its_result_follows_the_display() {
    for keys in [&b"q"[..], b"\x03"] {
        let (_server, url) = echo_server();
        let mut load = InTerminal::start(&[&url, "-d", "1h", "--warm-up", "0s"]);
        load.read_until("measuring");
        load.read_until("received");
        load.press(keys);
        let (status, after) = load.finish();
        assert_eq!(status, Some(130), "{}", load.output);
        assert!(after.contains("answered "), "{after}");
    }
}

#[test]
fn a_complete_load_needs_no_key() {
    let (_server, url) = echo_server();
    let mut load = InTerminal::start(&[&url, "-d", "200ms", "--warm-up", "0s"]);
    let (status, after) = load.finish();
    assert_eq!(status, Some(0), "{}", load.output);
    assert!(after.contains("answered "), "{after}");
}

#[test]
fn keys_change_the_rate_of_an_open_loop() {
    let (_server, url) = echo_server();
    let mut load = InTerminal::start(&[&url, "-d", "1h", "--warm-up", "0s", "-r", "100/s"]);
    load.read_until("change");
    load.press(b"+");
    load.read_until("110");
    load.press(b"q");
    assert_eq!(load.finish().0, Some(130), "{}", load.output);
}

#[test]
fn a_load_whose_rate_was_changed_is_not_judged() {
    let (_server, url) = echo_server();
    let short = [&url, "-d", "1s", "--warm-up", "0s", "-r", "100/s"];
    let mut load = InTerminal::start(&[&short[..], &["--fail-if", "connections > 0"]].concat());
    load.press(b"p");
    let (status, after) = load.finish();
    assert_eq!(status, Some(0), "{}", load.output);
    assert!(after.contains("reported, not judged"), "{after}");
}

#[test]
fn plain_lines_replace_the_display() {
    let (_server, url) = echo_server();
    let mut load = InTerminal::start(&[&url, "-d", "1s", "--warm-up", "0s", "--plain"]);
    load.finish();
    assert!(!load.output.contains('\x1b'), "{}", load.output);
    assert!(load.output.contains("answered "), "{}", load.output);
}
