//! Fuzzes `gradless_fuzz::idx`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::idx(data));
