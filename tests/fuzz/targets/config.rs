//! libFuzzer's door to `prove_fuzz::config`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| prove_fuzz::config(bytes));
