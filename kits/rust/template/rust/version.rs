//! Prints the version of LIBRARY that this folder is built with.

use autostrada_kit::{fail, locked_version};

fn main() {
    match locked_version(include_str!("Cargo.lock"), "LIBRARY") {
        Some(version) => println!("{version}"),
        None => fail(1, &"Cargo.lock does not name the library"),
    }
}
