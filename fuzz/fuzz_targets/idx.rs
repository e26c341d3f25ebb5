//! Fuzzes `gradless_fuzz::idx`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::idx(data));

#[cfg(not(fuzzing))]
fn main() {}
