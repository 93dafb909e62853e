//! Sets of ranges: ours beside two crates that do the same in general.
//!
//! A discard queue's life: collect ranges in no order, merge them, take away what is written.

// A benchmark may fail by panicking, and its macros document nothing.
#![allow(missing_docs, clippy::arithmetic_side_effects, clippy::unwrap_used)]

use btrfs_planner::plan::ByteRange;
use btrfs_planner::schedule::Ranges;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use range_set_blaze::RangeSetBlaze;
use rangemap::RangeSet;
use std::hint::black_box;

/// `count` ranges of one to eight blocks, in no order; about half of them meet another.
fn ranges(count: u64) -> Vec<ByteRange> {
    let mut state = 7_u64;
    let range = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let random = state >> 20;
        ByteRange { start: random % (count * 8) * 4096, length: (1 + (random >> 40) % 8) * 4096 }
    };
    (0..count).map(range).collect()
}

fn build_and_subtract(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ranges");
    group.sample_size(10);
    for count in [1_000, 100_000, 10_000_000] {
        let (all, cut) = (ranges(count), ranges(count / 10));
        group.throughput(Throughput::Elements(count));
        group.bench_with_input(BenchmarkId::new("ours", count), &(&all, &cut), |bencher, (all, cut)| {
            bencher.iter(|| {
                let set = Ranges::from_unordered((*all).clone()).unwrap();
                black_box(set.difference(&Ranges::from_unordered((*cut).clone()).unwrap()).len())
            });
        });
        group.bench_with_input(BenchmarkId::new("range-set-blaze", count), &(&all, &cut), |bencher, (all, cut)| {
            let build = |ranges: &[ByteRange]| -> RangeSetBlaze<u64> {
                ranges.iter().map(|range| range.start..=range.end().unwrap() - 1).collect()
            };
            bencher.iter(|| black_box((build(all) - build(cut)).ranges_len()));
        });
        if count > 1_000_000 {
            // It needs some ten seconds a round for what the others do in one.
            continue;
        }
        group.bench_with_input(BenchmarkId::new("rangemap", count), &(&all, &cut), |bencher, (all, cut)| {
            bencher.iter(|| {
                let mut set: RangeSet<u64> = all.iter().map(|range| range.start..range.end().unwrap()).collect();
                for range in *cut {
                    set.remove(range.start..range.end().unwrap());
                }
                black_box(set.iter().count())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, build_and_subtract);
criterion_main!(benches);
