//! Puts the commit of the engine's sources into its version: `0.1.0 (fe233e0f1a2b)`.
//!
//! It is the last commit that changed what the engine is built of, so that other commits cause no
//! build; `+` follows it where these files have changes that are not committed. Without git or a
//! repository the version has no commit.

use std::path::Path;
use std::process::Command;

/// What the engine is built of, from the root of the repository.
const SOURCES: [&str; 4] = ["crates", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml"];

fn main() {
    let root = Path::new("../..");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    let version = env!("CARGO_PKG_VERSION");
    let version = match commit(root) {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=AUTOSTRADA_VERSION={version}");
}

fn commit(root: &Path) -> Option<String> {
    let commit = git(root, &["log", "-1", "--format=%h", "--abbrev=12", "--"])?;
    if commit.is_empty() {
        return None;
    }
    let is_changed = !git(root, &["status", "--porcelain", "--"])?.is_empty();
    if !is_changed {
        return Some(commit);
    }
    // A commit of the changes changes no source, but does change what stands here.
    let log = root.join(".git/logs/HEAD");
    if log.exists() {
        println!("cargo::rerun-if-changed={}", log.display());
    }
    Some(format!("{commit}+"))
}

/// What git prints of the sources; `None` where there is no git, or no repository.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(root)
        .args(["--no-optional-locks"])
        .args(arguments)
        .args(SOURCES)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
