//! libFuzzer program of the target `handshake`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::handshake::check(input));
