//! libFuzzer program of the target `http`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::http::check(input));
