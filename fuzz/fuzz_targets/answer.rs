//! Fuzzes `gradless_fuzz::answer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::answer(data));
