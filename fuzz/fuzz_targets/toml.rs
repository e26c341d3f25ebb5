//! Fuzzes `gradless_fuzz::toml`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::toml(data));

#[cfg(not(fuzzing))]
fn main() {}
