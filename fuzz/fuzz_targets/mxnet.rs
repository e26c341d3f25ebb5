//! Fuzzes `gradless_fuzz::mxnet`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::mxnet(data));

#[cfg(not(fuzzing))]
fn main() {}
