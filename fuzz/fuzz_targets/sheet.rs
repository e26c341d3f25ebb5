//! Fuzzes `gradless_fuzz::sheet`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::sheet(data));

#[cfg(not(fuzzing))]
fn main() {}
