//! Prints the version of tokio-tungstenite in this folder's lock file.

use autostrada_kit::{fail, locked_version};

fn main() {
    match locked_version(include_str!("Cargo.lock"), "tokio-tungstenite") {
        Some(version) => println!("{version}"),
        None => fail(1, &"Cargo.lock does not name tokio-tungstenite"),
    }
}
