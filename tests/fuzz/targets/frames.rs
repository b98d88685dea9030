//! libFuzzer's door to `prove_fuzz::frames`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| prove_fuzz::frames(bytes));
