//! libFuzzer program of the target `socket_io`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::socket_io::check(input));
