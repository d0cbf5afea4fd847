//! libFuzzer program of the target `message`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| autostrada_fuzz::targets::message::check(input));
