//! libFuzzer's door to `prove_fuzz::org`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| prove_fuzz::org(bytes));
