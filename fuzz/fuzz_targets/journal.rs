//! Fuzzes `gradless_fuzz::journal`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::journal(data));
