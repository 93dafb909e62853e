#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| btrfs_plan_tests::fuzzing::compressed_plan(data));
