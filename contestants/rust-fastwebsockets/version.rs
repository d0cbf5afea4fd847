//! Prints the version of fastwebsockets in this folder's lock file.

use autostrada_kit::{fail, locked_version};

fn main() {
    match locked_version(include_str!("Cargo.lock"), "fastwebsockets") {
        Some(version) => println!("{version}"),
        None => fail(1, &"Cargo.lock does not name fastwebsockets"),
    }
}
