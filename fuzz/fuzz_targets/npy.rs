//! Fuzzes `gradless_fuzz::npy`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::npy(data));

#[cfg(not(fuzzing))]
fn main() {}
