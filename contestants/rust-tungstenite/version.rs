//! Prints the version of tungstenite that this folder is built with.

use autostrada_kit::{fail, locked_version};

fn main() {
    match locked_version(include_str!("Cargo.lock"), "tungstenite") {
        Some(version) => println!("{version}"),
        None => fail(1, &"Cargo.lock does not name tungstenite"),
    }
}
