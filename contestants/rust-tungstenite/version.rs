//! Prints the version of tungstenite in this folder's lock file.

use autostrada_kit::{fail, locked_version};

fn main() {
    match locked_version(include_str!("Cargo.lock"), "tungstenite") {
        Some(version) => println!("{version}"),
        None => fail(1, &"Cargo.lock does not name tungstenite"),
    }
}
