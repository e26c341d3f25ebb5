//! Fuzzes `gradless_fuzz::onnx`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::onnx(data));
