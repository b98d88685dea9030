//! libFuzzer's door to `prove_fuzz::journal`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| prove_fuzz::journal(bytes));
