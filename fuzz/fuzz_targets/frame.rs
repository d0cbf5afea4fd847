//! libFuzzer program of the target `frame`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::frame::check(input));
