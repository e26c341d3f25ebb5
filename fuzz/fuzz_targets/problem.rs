//! Fuzzes `gradless_fuzz::problem`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::problem(data));
