//! Fuzzes `gradless_fuzz::journal`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::journal(data));

#[cfg(not(fuzzing))]
fn main() {}
