//! Fuzzes `gradless_fuzz::words`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::words(data));

#[cfg(not(fuzzing))]
fn main() {}
