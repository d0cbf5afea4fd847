//! Searches for bytes that break what `feed` holds.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::feed::check(input));
