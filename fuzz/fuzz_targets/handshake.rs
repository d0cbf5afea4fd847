//! Searches for bytes that break what `handshake` holds.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::handshake::check(input));
