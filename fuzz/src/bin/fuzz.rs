//! libFuzzer program of the target that the environment variable `TARGET` names.

#![no_main]

use std::sync::LazyLock;

use autostrada_fuzz::targets::{TARGETS, Target};

static CHECK: LazyLock<Target> = LazyLock::new(|| {
    let wanted = std::env::var("TARGET").expect("TARGET names a target");
    let found = TARGETS.iter().find(|(name, _)| *name == wanted);
    found.expect("the target exists").1
});

libfuzzer_sys::fuzz_target!(|input: &[u8]| CHECK(input));
