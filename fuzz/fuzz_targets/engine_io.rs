//! Searches for bytes that break what `engine_io` holds.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::engine_io::check(input));
