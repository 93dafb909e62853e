//! How long planning takes: by devices, and by items in the trees.
//!
//! `cargo bench -p btrfs-planner`

// A benchmark may fail by panicking, and its macros document nothing.
#![allow(missing_docs, clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]

use btrfs_planner::audit::{Replay, audit_disks, audit_plan};
use btrfs_planner::disk::key::{ItemType, Key};
use btrfs_planner::layout::Layout;
use btrfs_planner::request::{DeviceFacts, Profile, ZoneRun, ZoneState, Zones};
use btrfs_planner::trees::{Contents, Forest, Items};
use btrfs_planner::view::CapacityView;
use btrfs_planner::{Plan, Request, Settings, plan};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const TEN_GIB: u64 = 10 << 30;

fn request(devices: u64, metadata: Option<Profile>) -> Request {
    let devices = (0..devices).map(|_| DeviceFacts::described(TEN_GIB)).collect();
    Request { metadata, ..Request::new(devices, "bench", 0) }
}

fn by_devices(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("plan");
    for devices in [1, 16, 256, 1000] {
        let default = request(devices, None);
        group.bench_with_input(BenchmarkId::new("default", devices), &default, |bencher, request| {
            bencher.iter(|| plan(request).unwrap());
        });
    }
    for profile in [Profile::Raid10, Profile::Raid6] {
        let striped = Request { data: Some(profile), ..request(1000, Some(profile)) };
        group.bench_with_input(BenchmarkId::new(profile.name(), 1000), &striped, |bencher, request| {
            bencher.iter(|| plan(request).unwrap());
        });
    }
    group.finish();
}

/// A thousand devices, no two alike.
fn capacity(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("capacity");
    let sizes = (1..=1000_u64).map(|number| (100 << 30) + number * 7919 % 1000 * (3 << 30));
    let devices: Vec<DeviceFacts> = sizes.map(DeviceFacts::described).collect();
    for profile in [Profile::Single, Profile::Raid1, Profile::Raid10, Profile::Raid5, Profile::Raid6] {
        let request = Request {
            data: Some(profile),
            metadata: Some(Profile::Raid1),
            ..Request::new(devices.clone(), "bench", 0)
        };
        let plan = plan(&request).unwrap();
        group.bench_function(BenchmarkId::new(profile.name(), 1000), |bencher| {
            bencher.iter(|| CapacityView::of(&plan).unwrap());
        });
    }
    group.finish();
}

fn audit(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("audit");
    for devices in [1, 16, 1000] {
        let plan = plan(&request(devices, None)).unwrap();
        group.bench_function(BenchmarkId::new("default", devices), |bencher| bencher.iter(|| audit_plan(&plan)));
        group.bench_function(BenchmarkId::new("default, filesystem only", devices), |bencher| {
            bencher.iter(|| audit_disks(&Replay::new(&plan)));
        });
    }
    for profile in [Profile::Raid10, Profile::Raid6] {
        let plan = plan(&Request { data: Some(profile), ..request(1000, Some(profile)) }).unwrap();
        group.bench_function(BenchmarkId::new(profile.name(), 1000), |bencher| bencher.iter(|| audit_plan(&plan)));
    }
    group.finish();
}

fn document(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("document");
    for devices in [1, 1000] {
        let plan = plan(&request(devices, None)).unwrap();
        let text = plan.to_json();
        group.throughput(Throughput::Bytes(text.len().try_into().unwrap()));
        group.bench_function(BenchmarkId::new("write", devices), |bencher| bencher.iter(|| plan.to_json()));
        group.bench_function(BenchmarkId::new("read", devices), |bencher| {
            bencher.iter(|| Plan::from_json(text.as_bytes()).unwrap());
        });
    }
    group.finish();
}

fn by_items(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("trees");
    group.sample_size(10);
    // Room enough that no number of items makes the layout grow: the builder alone is measured.
    let request = Request { devices: vec![DeviceFacts::described(1 << 40)], ..request(1, Some(Profile::Dup)) };
    let settings = Settings::resolve(&request).unwrap();
    let layout = Layout::new(&settings).unwrap();
    for count in [10_000, 100_000, 1_000_000] {
        let mut fs = Items::new();
        for inode in 0..count {
            fs.push(Key::new(1000 + inode, ItemType::INODE_ITEM, 0), &[&[0x5a; 160]]);
        }
        let contents = Contents { fs, ..Contents::default() };
        group.throughput(Throughput::Elements(count));
        group.bench_function(BenchmarkId::new("items", count), |bencher| {
            bencher.iter(|| Forest::plant(&settings, &mut layout.clone(), &contents).unwrap());
        });
    }
    group.finish();
}

/// 20 TB in zones of 4 MiB: five million of them, in as few runs as there can be, and in as many.
fn by_zones(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("zones");
    group.sample_size(10);
    let (size, zone_size) = (20_000_000_000_000 / (4 << 20) * (4 << 20), 4 << 20);
    let few = Zones::described(size, zone_size, None, 0);
    let full = vec![ZoneRun::new(few.count().unwrap(), ZoneState::Full)];
    let many = (0..few.count().unwrap())
        .map(|zone| ZoneRun::new(1, if zone % 2 == 0 { ZoneState::Full } else { ZoneState::Empty }))
        .collect();
    for (name, runs) in [("one run", full), ("every zone a run", many)] {
        let mut request = request(1, Some(Profile::Dup));
        request.devices[0] = DeviceFacts { zones: Some(Zones { runs, ..few.clone() }), ..DeviceFacts::described(size) };
        group.bench_function(name, |bencher| bencher.iter(|| plan(&request).unwrap()));
    }
    group.finish();
}

criterion_group!(benches, by_devices, capacity, audit, document, by_items, by_zones);
criterion_main!(benches);
