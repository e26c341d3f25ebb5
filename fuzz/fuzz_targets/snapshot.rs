//! Fuzzes `gradless_fuzz::snapshot`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::snapshot(data));

#[cfg(not(fuzzing))]
fn main() {}
