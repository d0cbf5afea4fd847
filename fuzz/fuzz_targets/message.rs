//! Searches for bytes that break what `message` holds.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::message::check(input));
