//! Fuzzes `gradless_fuzz::problem`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::problem(data));

#[cfg(not(fuzzing))]
fn main() {}
