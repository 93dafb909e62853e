//! What a change of a request comes to, and what must hold of any two plans.

use super::*;
use crate::disk::checksum::ChecksumType;
use crate::request::{DiscardStrategy, Request, Signature};
use proptest::prelude::*;
use std::vec;

const GIB: u64 = 1 << 30;

fn base() -> Request {
    Request::new(vec![DeviceFacts::described(10 * GIB); 2], "diff", 1_700_000_000)
}

fn planned(change: impl FnOnce(&mut Request)) -> Plan {
    let mut request = base();
    change(&mut request);
    crate::plan(&request).unwrap()
}

fn subjects(diff: &Diff, group: Group) -> Vec<&str> {
    diff.changes.iter().filter(|change| change.group == group).map(|change| change.subject.as_str()).collect()
}

#[test]
fn changes_are_told_once_and_by_name() {
    let before = planned(|_| {});
    // Identity alone: every tree block is another one, and there is nothing to say of any.
    let seed = diff(&before, &planned(|request| request.identity.seed = "other".into()));
    assert!(seed.changes.iter().all(|change| change.group == Group::Identity), "{seed:?}");
    assert_eq!(seed.changes.len(), 5);
    let time = diff(&before, &planned(|request| request.time += 1));
    assert_eq!(subjects(&time, Group::Identity), ["time"]);
    assert_eq!(time.changes.len(), 1);
    let label = diff(&before, &planned(|request| request.label = "new".into()));
    assert_eq!(label.changes.len(), 1);
    assert_eq!(label.changes[0].after.as_deref(), Some("new"));

    let larger = diff(&before, &planned(|request| request.devices[1].size = 20 * GIB));
    let size = larger.changes.iter().find(|change| change.subject == "device 2: size").unwrap();
    assert_eq!(size.before.as_deref(), Some("10.00GiB (10737418240)"));
    assert_eq!(size.after.as_deref(), Some("20.00GiB (21474836480)"));
    assert_eq!(subjects(&larger, Group::Identity), Vec::<&str>::new());

    let feature = diff(&before, &planned(|request| request.features = vec!["quota".parse().unwrap()]));
    assert_eq!(subjects(&feature, Group::Filesystem), ["feature"]);
    assert!(subjects(&feature, Group::Trees).contains(&"quota tree"));

    let kept = diff(&before, &planned(|request| request.discard = DiscardStrategy::None));
    assert_eq!(subjects(&kept, Group::Schedule), ["discard strategy", "device 1: discard", "device 2: discard"]);

    let third = diff(&before, &planned(|request| request.devices.push(DeviceFacts::described(GIB))));
    assert!(third.changes.iter().any(|change| change.subject == "device 3" && change.before.is_none()));

    let over = diff(
        &before,
        &planned(|request| {
            request.force = true;
            let (kind, usage) = ("ext4".into(), "filesystem".into());
            request.devices[0].signatures =
                vec![Signature { kind, label: None, length: 2, offset: 1080, usage, uuid: None }];
        }),
    );
    assert!(subjects(&over, Group::Devices).contains(&"device 1: signature"));
    assert!(subjects(&over, Group::Schedule).contains(&"device 1: wipe"));
}

/// Plans that somebody else made may differ where a request cannot: in single bytes of a block.
#[test]
fn a_changed_field_is_found() {
    let before = planned(|_| {});
    let mut after = before.clone();
    let index = after.blocks.iter().position(|block| block.tree == "fs").unwrap();
    let payload = &mut after.payloads[after.blocks[index].payload as usize];
    let mut bytes = payload.expand().unwrap();
    let mode = decode::block(&bytes, ChecksumType::Crc32c).items[0]
        .fields
        .iter()
        .find(|field| field.name == "mode")
        .unwrap()
        .offset;
    bytes[mode as usize] ^= 1;
    *payload = crate::plan::Payload::new(&bytes);
    after.seal = after.expected_seal();
    let found = diff(&before, &after);
    assert_eq!(found.changes.len(), 1, "{found:?}");
    assert_eq!(found.changes[0].subject, "fs tree: (256 INODE_ITEM 0) mode");
    assert_eq!((found.changes[0].before.as_deref(), found.changes[0].after.as_deref()), (Some("40755"), Some("40754")));
}

fn requests() -> impl Strategy<Value = Request> {
    let sizes = prop::collection::vec(prop::sample::select(vec![GIB, 2 * GIB, 300 << 20]), 1..4);
    let profile = prop::sample::select(vec![None, Some(Profile::Single), Some(Profile::Raid1), Some(Profile::Raid0)]);
    let node = prop::sample::select(vec![4096, 16384]);
    (sizes, profile.clone(), profile, node, 0..3_u64, any::<bool>()).prop_map(
        |(sizes, data, metadata, node_size, time, mixed)| {
            let devices = sizes.into_iter().map(DeviceFacts::described).collect();
            let mut request = Request::new(devices, "diff", time);
            (request.data, request.metadata, request.node_size) = (data, metadata, Some(node_size));
            if mixed {
                (request.mixed, request.data, request.node_size) = (true, metadata, Some(4096));
            }
            request
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn plans_differ_exactly_where_a_diff_says_so(first in requests(), second in requests()) {
        let (Ok(before), Ok(after)) = (crate::plan(&first), crate::plan(&second)) else { return Ok(()) };
        let there = diff(&before, &after);
        prop_assert_eq!(there.same, before == after);
        prop_assert_eq!(there.changes.is_empty(), before == after);
        prop_assert!(diff(&before, &before).changes.is_empty());
        // The way back is the same way.
        let turned = |change: &Change| {
            (change.group, change.subject.clone(), change.after.clone(), change.before.clone())
        };
        let plain =
            |change: &Change| (change.group, change.subject.clone(), change.before.clone(), change.after.clone());
        let mut back: Vec<_> = diff(&after, &before).changes.iter().map(turned).collect();
        let mut there: Vec<_> = there.changes.iter().map(plain).collect();
        back.sort();
        there.sort();
        prop_assert_eq!(back, there);
    }
}
