//! Fuzzes `gradless_fuzz::cifar`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::cifar(data));

#[cfg(not(fuzzing))]
fn main() {}
