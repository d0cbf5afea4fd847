//! Searches for bytes that break what `socket_io` holds.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::socket_io::check(input));
