//! Searches for bytes that break what `frame` holds.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::frame::check(input));
