//! Fuzzes `gradless_fuzz::picture`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::picture(data));
