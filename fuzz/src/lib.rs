//! Properties of the decoders of `autostrada-proto` for arbitrary bytes from a peer.
//!
//! Each target is a function of one input. libFuzzer calls it with generated inputs
//! (`bin/fuzz.rs`), and a test calls it with stored inputs (`tests/corpus.rs`).

pub mod memory;
pub mod pieces;
pub mod settings;
pub mod targets;

/// Counts the memory of decoders.
#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;
