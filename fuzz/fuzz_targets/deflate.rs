//! libFuzzer program of the target `deflate`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::deflate::check(input));
