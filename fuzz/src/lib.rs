//! What must hold of everything in `autostrada-proto` that reads bytes of a peer, whatever they are.
//!
//! Each target is a function of one input. libFuzzer calls it with inputs that it
//! makes up (`fuzz_targets`), a test with those that are stored (`tests/corpus.rs`).

pub mod memory;
pub mod pieces;
pub mod settings;
pub mod targets;

/// Counts what decoders keep.
#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;
