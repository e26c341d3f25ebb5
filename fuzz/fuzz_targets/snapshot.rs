//! Fuzzes `gradless_fuzz::snapshot`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::snapshot(data));
