//! Fuzzes `gradless_fuzz::cifar`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gradless_fuzz::cifar(data));
