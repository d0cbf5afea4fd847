//! libFuzzer program of the target `framed_tcp`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::framed_tcp::check(input));
