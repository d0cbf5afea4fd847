//! Searches for bytes that break what `framed_tcp` holds.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::framed_tcp::check(input));
