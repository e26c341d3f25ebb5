//! Fuzzes `gradless_fuzz::answer`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::answer(data));

#[cfg(not(fuzzing))]
fn main() {}
