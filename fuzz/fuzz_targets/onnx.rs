//! Fuzzes `gradless_fuzz::onnx`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::onnx(data));

#[cfg(not(fuzzing))]
fn main() {}
