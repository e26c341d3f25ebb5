//! Fuzzes `gradless_fuzz::toml`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::toml(data));
