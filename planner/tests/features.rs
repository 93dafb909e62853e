//! The table of features and what follows from it: experiments, zones and profiles, target kernels, default sets, and what
//! a plan says that a machine needs.

// A test may fail by panicking.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

use btrfs_planner::audit::audit_plan;
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::disk::superblock::Superblock;
use btrfs_planner::layout::ChunkKind;
use btrfs_planner::request::{
    Defaults, DeviceFacts, Feature, FeatureBit, FeatureStatus, KernelVersion, OnZones, Profile, Zones,
};
use btrfs_planner::view;
use btrfs_planner::{Plan, Request, RequestError, plan};
use zerocopy::FromBytes;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const EXTENT_TREE_V2: u64 = 1 << 13;
const RAID_STRIPE_TREE: u64 = 1 << 14;
const REMAP_TREE: u64 = 1 << 17;

fn request(devices: usize) -> Request {
    Request::new(vec![DeviceFacts::described(10 * GIB); devices], "features", 0)
}

fn switched(request: Request, names: &[&str]) -> Request {
    Request { features: names.iter().map(|name| name.parse().unwrap()).collect(), ..request }
}

fn target(version: &str) -> Request {
    Request { target_kernel: Some(version.parse().unwrap()), ..request(1) }
}

fn codes(plan: &Plan) -> Vec<&str> {
    plan.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

fn clean(plan: &Plan) {
    let report = audit_plan(plan);
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    assert_eq!(Plan::from_json(plan.to_json().as_bytes()).unwrap(), *plan);
}

/// The list that people see: one table feeds it, so no mark can be missing in one place and there in another.
#[test]
fn the_table_as_list_all_prints_it() {
    let golden = include_str!("features.txt");
    let printed = view::features();
    assert!(printed == golden, "features.txt is not what list-all prints:\n{printed}");
    let documented = include_str!("../../docs/compatibility.md");
    for line in printed.lines() {
        assert!(documented.contains(&format!("\n    {line}\n")), "docs/compatibility.md lacks the line:\n    {line}");
    }
}

/// What is experimental must be allowed; off is always fine.
#[test]
fn experiments_must_be_allowed() {
    for feature in Feature::ALL {
        let traits = feature.traits();
        if !traits.switchable || traits.status == FeatureStatus::Stable {
            continue;
        }
        for allowed in [false, true] {
            let base = Request { experimental: allowed, ..request(1) };
            let off = format!("^{feature}");
            assert_eq!(plan(&switched(base.clone(), &[&off])).unwrap().warnings, [], "{off}");
            let result = plan(&switched(base, &[feature.name()]));
            if allowed {
                let plan = result.unwrap();
                assert_eq!(codes(&plan), ["experimental"]);
                assert!(plan.filesystem.requires.experimental);
                clean(&plan);
            } else {
                assert!(matches!(result, Err(RequestError::FeatureExperimental { .. })), "{feature}: {result:?}");
            }
        }
    }
}

/// Its tree is there, empty, and named by the root tree; nothing else of the filesystem changes.
#[test]
fn the_raid_stripe_tree_is_an_empty_tree_more() {
    for (devices, data, metadata) in [
        (1, Profile::Single, Profile::Dup),
        (2, Profile::Raid1, Profile::Raid1),
        (4, Profile::Raid10, Profile::Raid1c3),
    ] {
        let without = Request { data: Some(data), metadata: Some(metadata), ..request(devices) };
        let with = switched(Request { experimental: true, ..without.clone() }, &["rst"]);
        let (without, with) = (plan(&without).unwrap(), plan(&with).unwrap());
        let trees = |plan: &Plan| plan.blocks.iter().map(|block| (block.tree.clone(), block.items)).collect::<Vec<_>>();
        let mut expected = trees(&without);
        expected.iter_mut().find(|(tree, _)| tree == "root").unwrap().1 += 1;
        expected.iter_mut().find(|(tree, _)| tree == "extent").unwrap().1 += 1;
        expected.push(("raid-stripe".into(), 0));
        let mut found = trees(&with);
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
        assert_eq!(with.chunks, without.chunks);
        assert_eq!(with.filesystem.flags.incompat, without.filesystem.flags.incompat | RAID_STRIPE_TREE);
        assert_eq!(with.filesystem.flags.compat_ro, without.filesystem.flags.compat_ro);
        clean(&with);
    }
}

/// It has a chunk of the metadata's profile behind the others, the superblock leads to it, no extent tree accounts for it,
/// and the tree for moving data without it is not there; every block group item is longer.
#[test]
fn the_remap_tree_has_a_chunk_of_its_own() {
    for (devices, data, metadata) in [
        (1, Profile::Single, Profile::Single),
        (1, Profile::Single, Profile::Dup),
        (2, Profile::Raid1, Profile::Raid1),
        (4, Profile::Raid10, Profile::Raid1c3),
        (4, Profile::Raid6, Profile::Raid5),
    ] {
        let without = Request { data: Some(data), metadata: Some(metadata), ..request(devices) };
        let with = switched(Request { experimental: true, ..without.clone() }, &["remap-tree"]);
        let (without, with) = (plan(&without).unwrap(), plan(&with).unwrap());
        let trees = |plan: &Plan| plan.blocks.iter().map(|block| (block.tree.clone(), block.items)).collect::<Vec<_>>();
        let mut expected = trees(&without);
        expected.retain(|(tree, _)| tree != "data-reloc");
        // A chunk has an item in each of these, and two for its free space; its device extents depend on the profile.
        let stripes = with.chunks.iter().find(|chunk| chunk.kind == ChunkKind::Remap).unwrap().stripes.len();
        for (tree, more) in
            [("chunk", 1), ("block-group", 1), ("free-space", 2), ("dev", u32::try_from(stripes).unwrap())]
        {
            expected.iter_mut().find(|(name, _)| name == tree).unwrap().1 += more;
        }
        expected.iter_mut().find(|(tree, _)| tree == "extent").unwrap().1 -= 1;
        expected.push(("remap".into(), 0));
        let mut found = trees(&with);
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
        let remap = with.chunks.iter().find(|chunk| chunk.kind == ChunkKind::Remap).unwrap();
        assert_eq!((remap.profile, with.filesystem.profiles.metadata), (metadata, metadata));
        let block = with.blocks.iter().find(|block| block.tree == "remap").unwrap();
        assert_eq!(block.logical, remap.logical);
        let of = |index: u32| with.payloads[usize::try_from(index).unwrap()].expand().unwrap();
        let superblock = Superblock::read_from_bytes(&of(with.devices[0].commit[0].payload)).unwrap();
        assert_eq!(superblock.remap_root.get(), block.logical.get());
        assert_eq!((superblock.remap_root_generation.get(), superblock.remap_root_level), (1, 0));
        assert_eq!(with.filesystem.flags.incompat, without.filesystem.flags.incompat | REMAP_TREE);
        let groups = with.blocks.iter().find(|block| block.tree == "block-group").unwrap();
        let decoded = view::decode::block(&of(groups.payload), ChecksumType::Crc32c);
        assert!(
            decoded.items.iter().all(|item| item.data.is_some_and(|data| data.length == 36) && item.problem.is_none())
        );
        clean(&with);
    }
}

/// All that there is stands in the first extent tree; the others, and what goes with them, are empty.
#[test]
fn there_may_be_several_extent_trees() {
    let base = Request { experimental: true, ..request(2) };
    for (roots, count) in [(None, 1), (Some(1), 1), (Some(2), 2), (Some(7), 7), (Some(1024), 1024)] {
        let with = Request { global_roots: roots, ..switched(base.clone(), &["extent-tree-v2"]) };
        let (without, with) = (plan(&base).unwrap(), plan(&with).unwrap());
        let of = |plan: &Plan, tree: &str| {
            let leaves = plan.blocks.iter().filter(|block| block.tree == tree && block.level == 0);
            leaves.map(|block| block.items).collect::<Vec<_>>()
        };
        for tree in ["extent", "csum", "free-space"] {
            let leaves = of(&with, tree);
            let empty = leaves.iter().filter(|items| **items == 0).count();
            assert_eq!(empty, if tree == "csum" { count } else { count - 1 }, "{tree} of {count}");
        }
        let items = |plan: &Plan, tree: &str| usize::try_from(of(plan, tree).iter().sum::<u32>()).unwrap();
        assert_eq!(items(&with, "root"), items(&without, "root") + 3 * (count - 1));
        assert_eq!(items(&with, "extent"), with.blocks.len());
        assert_eq!(with.filesystem.flags.incompat, without.filesystem.flags.incompat | EXTENT_TREE_V2);
        assert_eq!(with.chunks[..3], without.chunks[..]);
        let payload = &with.payloads[usize::try_from(with.devices[0].commit[0].payload).unwrap()];
        let superblock = Superblock::read_from_bytes(&payload.expand().unwrap()).unwrap();
        assert_eq!(superblock.nr_global_roots.get(), u64::try_from(count).unwrap());
        let backup = superblock.super_roots[0];
        assert_eq!((backup.extent_root.get(), backup.csum_root.get(), backup.extent_root_gen.get()), (0, 0, 0));
        clean(&with);
    }
    for (names, roots) in
        [(&["extent-tree-v2"][..], 0), (&["extent-tree-v2"], 1025), (&["extent-tree-v2"], u64::MAX), (&[], 1)]
    {
        let request = Request { global_roots: Some(roots), ..switched(base.clone(), names) };
        let error = plan(&request).unwrap_err();
        let right = match names {
            [] => matches!(error, RequestError::GlobalRootsUnused),
            _ => matches!(error, RequestError::GlobalRoots { most: 1024, .. }),
        };
        assert!(right && error.hint().is_some() && error.field() == Some("global_roots"), "{roots}: {error}");
    }
}

/// What mkfs.btrfs forces on is forced on here, and refused where it was switched off.
#[test]
fn what_an_experiment_needs_is_on_or_the_request_is_refused() {
    for feature in Feature::ALL {
        let traits = feature.traits();
        if traits.status != FeatureStatus::Experimental {
            continue;
        }
        let old = Request { defaults: Defaults::Compat, experimental: true, ..request(1) };
        let plan = plan(&switched(old.clone(), &[traits.name])).unwrap();
        for needed in traits.needs {
            assert!(plan.filesystem.features.iter().any(|name| name == needed.name()), "{feature} without {needed}");
            let error = btrfs_planner::plan(&switched(old.clone(), &[traits.name, &format!("^{needed}")])).unwrap_err();
            assert!(matches!(error, RequestError::FeaturesNeed { .. }), "{feature}, {needed}: {error}");
            assert!(error.hint().is_some() && error.field() == Some("features"), "{error}");
        }
        for other in traits.excludes {
            let error = btrfs_planner::plan(&switched(old.clone(), &[traits.name, other.name()])).unwrap_err();
            let zoned = matches!(error, RequestError::ZonedFeature { .. });
            assert!(zoned || matches!(error, RequestError::FeaturesExclude { .. }), "{feature}, {other}: {error}");
        }
    }
}

fn zoned(devices: usize) -> Request {
    let zones = Zones::described(64 * 256 * MIB, 256 * MIB, None, 0);
    let facts = DeviceFacts { zones: Some(zones), ..DeviceFacts::described(64 * 256 * MIB) };
    Request { devices: vec![facts; devices], ..request(1) }
}

/// Every profile on zones, for data and for metadata, with and without the raid stripe tree, on devices that have zones
/// and on ones that do not and where zones were only asked for.
#[test]
fn profiles_on_zones() {
    for profile in Profile::ALL {
        for (data, asked, experimental, stripe_tree) in product() {
            let base = if asked { request(4) } else { zoned(4) };
            let names: Vec<&str> = asked.then_some("zoned").into_iter().chain(stripe_tree).collect();
            let mut request = switched(Request { experimental, ..base }, &names);
            if data {
                request.data = Some(profile)
            } else {
                request.metadata = Some(profile)
            }
            let traits = profile.traits();
            let result = plan(&request);
            let what = format!("{profile}, data {data}, asked {asked}, experimental {experimental}, {stripe_tree:?}");
            let on_zones = if data { traits.zoned_data } else { traits.zoned_metadata };
            match (on_zones, stripe_tree) {
                (_, Some("raid-stripe-tree")) if !experimental => {
                    assert!(matches!(result, Err(RequestError::FeatureExperimental { .. })), "{what}");
                }
                (OnZones::Never, _) => {
                    let Err(error @ RequestError::ZonedParity { asked: found, .. }) = result else {
                        panic!("{what}: {result:?}")
                    };
                    assert_eq!(found, asked, "{what}");
                    assert_eq!(error.to_string().contains("was asked for"), asked, "{what}: {error}");
                }
                (OnZones::With(_), tree) if !experimental || tree == Some("^raid-stripe-tree") => {
                    let Err(error @ RequestError::ZonedProfile { asked: found, .. }) = result else {
                        panic!("{what}: {result:?}")
                    };
                    assert_eq!(found, asked, "{what}");
                    assert!(error.to_string().contains("raid-stripe-tree"), "{what}: {error}");
                    assert_eq!(error.to_string().contains("was asked for"), asked, "{what}: {error}");
                    assert_eq!(error.hint().unwrap().contains("leave out -O zoned"), asked, "{what}");
                }
                (on_zones, tree) => {
                    let plan = result.unwrap_or_else(|error| panic!("{what}: {error}"));
                    let on = matches!(on_zones, OnZones::With(_)) || tree == Some("raid-stripe-tree");
                    assert_eq!(plan.filesystem.flags.incompat & RAID_STRIPE_TREE != 0, on, "{what}");
                    clean(&plan);
                }
            }
        }
    }
}

fn product() -> Vec<(bool, bool, bool, Option<&'static str>)> {
    let mut all = Vec::new();
    for data in [false, true] {
        for asked in [false, true] {
            for experimental in [false, true] {
                for stripe_tree in [None, Some("raid-stripe-tree"), Some("^raid-stripe-tree")] {
                    all.push((data, asked, experimental, stripe_tree));
                }
            }
        }
    }
    all
}

/// Zones of any size can be emulated; kernels take the size from the first device extent.
#[test]
fn emulated_zones_of_every_size() {
    for shift in 22..=33 {
        let size = 1_u64 << shift;
        let mut request = switched(request(2), &["zoned"]);
        request.devices = vec![DeviceFacts::described(64 * size + 4096); 2];
        (request.experimental, request.emulated_zone_size) = (true, Some(size));
        let plan = plan(&request).unwrap();
        assert_eq!(plan.filesystem.zone_size, Some(size));
        assert!(plan.devices.iter().all(|device| device.size == 64 * size));
        assert!(plan.chunks.iter().all(|chunk| chunk.stripes.iter().all(|stripe| stripe.offset.get() % size == 0)));
        clean(&plan);
    }
    assert_eq!(plan(&switched(request(1), &["zoned"])).unwrap().filesystem.zone_size, Some(256 * MIB));
    assert_eq!(plan(&request(1)).unwrap().filesystem.zone_size, None);
}

/// For every feature, the kernel just before it and the one that has it.
#[test]
fn features_above_the_target_kernel_are_refused_or_dropped() {
    for feature in Feature::ALL {
        let traits = feature.traits();
        if !traits.switchable {
            continue;
        }
        let mut base = Request { defaults: Defaults::Compat, experimental: true, ..request(2) };
        base.features = traits.needs.iter().map(|need| need.name().parse().unwrap()).collect();
        base.features.push(feature.name().parse().unwrap());
        // Compatible defaults are from 3.10; older features have no kernel before them that has those.
        let before = just_before(traits.since);
        let all = traits.needs.iter().map(|need| need.traits().since).fold(traits.since, KernelVersion::max);
        base.target_kernel = Some(all.max(KernelVersion::new(4, 5, 0)));
        // Their number goes with the feature.
        base.global_roots = (feature == Feature::ExtentTreeV2).then_some(2);
        assert!(plan(&base).unwrap().filesystem.features.iter().any(|name| name == feature.name()), "{feature}");
        base.target_kernel = Some(before);
        let error = plan(&base).unwrap_err();
        assert!(matches!(error, RequestError::TargetFeature { .. }), "{feature}: {error}");
        assert!(error.hint().is_some_and(|hint| hint.contains("--drop-unsupported")), "{feature}");
        base.drop_unsupported = true;
        let plan = plan(&base).unwrap();
        assert!(plan.filesystem.features.iter().all(|name| name != feature.name()), "{feature}");
        assert!(codes(&plan).contains(&"feature-dropped"), "{feature}");
        assert!(plan.filesystem.requires.kernel <= before.max(KernelVersion::new(3, 4, 0)), "{feature}");
        clean(&plan);
    }
}

fn just_before(version: KernelVersion) -> KernelVersion {
    let text = version.to_string();
    let mut numbers: Vec<u16> = text.split('.').map(|number| number.parse().unwrap()).collect();
    match numbers.iter().rposition(|number| *number > 0).unwrap() {
        0 => KernelVersion::new(numbers[0] - 1, 99, 0),
        last => {
            numbers[last] -= 1;
            KernelVersion::new(numbers[0], numbers[1], numbers.get(2).copied().unwrap_or(0))
        }
    }
}

/// What cannot be dropped says so: a profile, mixed block groups or a device cannot do without it.
#[test]
fn what_cannot_be_dropped_is_refused() {
    let old = |request: Request, version: &str| Request {
        target_kernel: Some(version.parse().unwrap()),
        drop_unsupported: true,
        ..request
    };
    for request in [
        old(Request { data: Some(Profile::Raid6), metadata: Some(Profile::Raid1), ..request(3) }, "3.8"),
        old(Request { metadata: Some(Profile::Raid1c3), ..request(3) }, "5.4"),
        old(Request { mixed: true, ..request(1) }, "2.6.36"),
        old(zoned(1), "5.11"),
    ] {
        let error = plan(&request).unwrap_err();
        assert!(matches!(error, RequestError::TargetFeature { bound: true, .. }), "{error}");
        assert!(!error.hint().unwrap().contains("drop"), "{error}");
    }
    for checksum in ChecksumType::ALL {
        let at = |version: &str| plan(&Request { checksum, ..old(request(1), version) });
        assert!(at("5.5").is_ok(), "{checksum}");
        let refused = matches!(at("5.4"), Err(RequestError::TargetChecksum { .. }));
        assert_eq!(refused, checksum != ChecksumType::Crc32c, "{checksum}");
    }
}

/// The newest defaults on an older kernel: refused, with both ways out, and each of them works.
#[test]
fn newest_defaults_on_an_older_kernel() {
    let error = plan(&target("6.0")).unwrap_err();
    assert!(error.to_string().contains("block-group-tree needs kernel 6.1, and the target is 6.0"), "{error}");
    for way in [
        Request { defaults: Defaults::Progs515, ..target("6.0") },
        switched(target("6.0"), &["^block-group-tree"]),
        Request { drop_unsupported: true, ..target("6.0") },
    ] {
        let plan = plan(&way).unwrap();
        assert!(plan.filesystem.requires.kernel <= KernelVersion::new(6, 0, 0));
        assert_eq!(plan.filesystem.flags.compat_ro, 3);
    }
    // What needs the dropped feature goes with it.
    let plan = plan(&Request { drop_unsupported: true, ..target("4.4") }).unwrap();
    assert_eq!(plan.filesystem.flags.compat_ro, 0);
    assert!(plan.filesystem.features.iter().any(|name| name == "no-holes"));
}

/// Sets of defaults, by every bit of the superblock that they come to.
#[test]
fn default_sets_by_their_bits() {
    for (set, incompat, compat_ro, kernel) in
        [("6.19", 0x361, 0xb, "6.1"), ("5.15", 0x361, 0x3, "4.5"), ("compat", 0x161, 0, "3.10")]
    {
        let plan = plan(&Request { defaults: Defaults::from_name(set).unwrap(), ..request(1) }).unwrap();
        let flags = plan.filesystem.flags;
        assert_eq!((flags.incompat, flags.compat_ro), (incompat, compat_ro), "{set}");
        assert_eq!(plan.filesystem.requires.kernel.to_string(), kernel, "{set}");
        clean(&plan);
    }
    assert_eq!(Defaults::default().name(), "6.19");
    assert_eq!(Defaults::from_name("5.14"), None);
}

/// The names that a plan lists account for every bit of its superblocks, but for nodes larger than a page.
#[test]
fn a_plan_lists_every_bit() {
    for names in [&[][..], &["^bgt"], &["squota"], &["mixed-bg"], &["zoned", "rst"], &["^extref", "^no-holes"]] {
        let plan = plan(&switched(Request { experimental: true, ..request(1) }, names)).unwrap();
        let (mut incompat, mut compat_ro) = (0, 0);
        for feature in
            Feature::ALL.into_iter().filter(|it| plan.filesystem.features.iter().any(|name| it.name() == name))
        {
            match feature.traits().bit {
                FeatureBit::Incompat(bits) => incompat |= bits,
                FeatureBit::CompatRo(bits) => compat_ro |= bits,
                FeatureBit::Items => {}
            }
        }
        let big = if plan.filesystem.node_size > plan.filesystem.page_size { 1 << 5 } else { 0 };
        assert_eq!(plan.filesystem.flags.incompat, incompat | big, "{names:?}");
        assert_eq!(plan.filesystem.flags.compat_ro, compat_ro, "{names:?}");
    }
}

/// Every sector size against every page size: what the plan says it needs, and what it warns of.
#[test]
fn sectors_and_pages() {
    let sizes = [4096, 8192, 16384, 32768, 65536];
    for sector in sizes {
        for page in sizes {
            for kernel in [None, Some("6.1"), Some("5.16"), Some("5.14")] {
                let request = Request {
                    sector_size: Some(sector),
                    page_size: page,
                    target_kernel: kernel.map(|version| version.parse().unwrap()),
                    defaults: Defaults::Progs515,
                    ..request(1)
                };
                let plan = plan(&request).unwrap();
                let needed = match (sector, page) {
                    (sector, page) if sector == page => Some("4.5"),
                    (4096, 65536) => Some("5.15"),
                    (4096, _) => Some("5.19"),
                    _ => None,
                };
                let said = plan.filesystem.requires.on_pages(page).map(|version| version.to_string());
                assert_eq!(said.as_deref(), needed, "{sector} on {page}");
                let warned = codes(&plan);
                let expected = match (needed, kernel) {
                    (None, _) => vec!["sector-size"],
                    (Some("5.15"), Some("5.14")) | (Some("5.19"), Some("5.14" | "5.16")) => vec!["target-kernel"],
                    (Some("5.15" | "5.19"), None) => vec!["sector-size"],
                    _ => vec![],
                };
                assert_eq!(warned, expected, "{sector} on {page} by {kernel:?}");
                assert_eq!(plan.filesystem.sector_size, sector);
                clean(&plan);
            }
        }
    }
    // Whatever the page size, sectors are 4096 unless asked otherwise.
    for page_size in sizes {
        assert_eq!(plan(&Request { page_size, ..request(1) }).unwrap().filesystem.sector_size, 4096);
    }
}
