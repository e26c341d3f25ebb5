//! Fuzzes `gradless_fuzz::npy`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::npy(data));
