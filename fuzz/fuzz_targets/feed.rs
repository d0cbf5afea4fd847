//! libFuzzer program of the target `feed`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::feed::check(input));
