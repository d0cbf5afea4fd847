//! libFuzzer program of the target `engine_io`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::engine_io::check(input));
