//! Fuzzes `gradless_fuzz::picture`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::picture(data));

#[cfg(not(fuzzing))]
fn main() {}
