//! Every copy of every tree block stands where a reader of the chunk will look for it, and every row of parity is right.
//!
//! The mapping and the parity are worked out here once more, from the format's definition and in the plainest way.

use btrfs_plan_tests::requests::{GIB, described};
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail};
use btrfs_planner::plan::{Chunk, ChunkKind};
use btrfs_planner::request::Profile;
use btrfs_planner::{Plan, Request};
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Bytes of a stripe element: what goes to one device before the next one's turn.
const ELEMENT: u64 = 65536;

fn main() -> ExitCode {
    let mut cases = Vec::new();
    for profile in Profile::ALL {
        for count in [1, 2, 3, 4, 5, 6, 7, 12] {
            if count < profile.traits().min_devices {
                continue;
            }
            for node_size in [4096, 16384, 65536] {
                for mixed in [false, true] {
                    if mixed && node_size != 4096 {
                        continue;
                    }
                    let name =
                        format!("{profile} on {count}, nodes of {node_size}{}", if mixed { ", mixed" } else { "" });
                    cases.push(case(name, move || {
                        let sizes = vec![4 * GIB; usize::try_from(count)?];
                        let mut request = Request::new(described(&sizes), "copies", 1_700_000_000);
                        (request.data, request.metadata) = (Some(profile), Some(profile));
                        (request.node_size, request.mixed) = (Some(node_size), mixed);
                        let plan = btrfs_planner::plan(&request)?;
                        let devices = contents(&plan)?;
                        every_copy(&plan, &devices)?;
                        every_row(&plan, &devices)?;
                        nothing_else(&plan)
                    }));
                }
            }
        }
    }
    suite::run(220, cases)
}

/// What will be written to a device, by offset.
type Device = BTreeMap<u64, Vec<u8>>;

fn contents(plan: &Plan) -> Outcome<Vec<Device>> {
    let mut devices = Vec::new();
    for slot in &plan.devices {
        let mut device = Device::new();
        for write in slot.writes.iter().chain(&slot.commit) {
            device.insert(write.offset.get(), plan.payloads[write.payload as usize].expand()?);
        }
        devices.push(device);
    }
    Ok(devices)
}

/// Bytes of a device; zeros where nothing is written.
fn read(device: &Device, start: u64, length: u64) -> Outcome<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length)?];
    for (offset, written) in device.range(..start + length) {
        for (place, byte) in (*offset..).zip(written) {
            if (start..start + length).contains(&place) {
                bytes[usize::try_from(place - start)?] = *byte;
            }
        }
    }
    Ok(bytes)
}

/// The stripes, by their number in the chunk, that hold the element at `offset` of a chunk, and the offset in them.
fn holders(chunk: &Chunk, offset: u64) -> (Vec<u64>, u64) {
    let count = chunk.stripes.len() as u64;
    let (element, rest) = (offset / ELEMENT, offset % ELEMENT);
    match chunk.profile {
        Profile::Single | Profile::Dup | Profile::Raid1 | Profile::Raid1c3 | Profile::Raid1c4 => {
            ((0..count).collect(), offset)
        }
        Profile::Raid0 => (vec![element % count], element / count * ELEMENT + rest),
        Profile::Raid10 => {
            let pairs = count / 2;
            let first = element % pairs * 2;
            (vec![first, first + 1], element / pairs * ELEMENT + rest)
        }
        Profile::Raid5 | Profile::Raid6 => {
            let data = count - chunk.profile.traits().parity;
            let row = element / data;
            // Every row starts one device further on.
            (vec![(element % data + row) % count], row * ELEMENT + rest)
        }
    }
}

fn every_copy(plan: &Plan, devices: &[Device]) -> Outcome {
    ensure(plan.blocks.len() >= 8, || format!("there are only {} blocks", plan.blocks.len()))?;
    for block in &plan.blocks {
        let logical = block.logical.get();
        let holds = |chunk: &&Chunk| (chunk.logical.get()..chunk.logical.get() + chunk.length).contains(&logical);
        let Some(chunk) = plan.chunks.iter().find(holds) else {
            return fail(format!("the block at {logical} is in no chunk"));
        };
        let system = chunk.kind == ChunkKind::System;
        ensure(system == (block.tree == "chunk") && chunk.kind != ChunkKind::Data, || {
            format!("a block of the {} tree is in a {} chunk", block.tree, chunk.kind)
        })?;
        let bytes = plan.payloads[block.payload as usize].expand()?;
        let (stripes, offset) = holders(chunk, logical - chunk.logical.get());
        for number in stripes {
            let stripe = chunk.stripes[usize::try_from(number)?];
            let device = &devices[usize::try_from(stripe.devid.get())? - 1];
            let found = read(device, stripe.offset.get() + offset, bytes.len() as u64)?;
            ensure(found == bytes, || {
                format!("device {} has not the block at {logical} at {}", stripe.devid, stripe.offset.get() + offset)
            })?;
        }
    }
    Ok(())
}

/// P is the sum, in the field of 256 elements, of a row's data elements; Q the sum of 2^i times the i-th one.
fn every_row(plan: &Plan, devices: &[Device]) -> Outcome {
    for chunk in plan.chunks.iter().filter(|chunk| chunk.profile.has_parity()) {
        let count = chunk.stripes.len() as u64;
        let parity = chunk.profile.traits().parity;
        let data = count - parity;
        let length = chunk.length / data;
        // Rows without data are all zeros; the first ones have it, and one more shows that it ends.
        for row in 0..(length / ELEMENT).min(24) {
            let element = |number: u64| -> Outcome<Vec<u8>> {
                let stripe = chunk.stripes[usize::try_from((number + row) % count)?];
                let device = &devices[usize::try_from(stripe.devid.get())? - 1];
                read(device, stripe.offset.get() + row * ELEMENT, ELEMENT)
            };
            let (mut sum, mut weighted) = (vec![0; ELEMENT as usize], vec![0; ELEMENT as usize]);
            // Horner's rule: from the last element down, doubling what is there.
            for number in (0..data).rev() {
                for ((p, q), byte) in sum.iter_mut().zip(&mut weighted).zip(element(number)?) {
                    *p ^= byte;
                    *q = doubled(*q) ^ byte;
                }
            }
            ensure(element(data)? == sum, || format!("P of row {row} of the chunk at {} is wrong", chunk.logical))?;
            if parity == 2 {
                ensure(element(data + 1)? == weighted, || {
                    format!("Q of row {row} of the chunk at {} is wrong", chunk.logical)
                })?;
            }
        }
    }
    Ok(())
}

/// Twice an element of the field that x^8 + x^4 + x^3 + x^2 + 1 defines.
const fn doubled(element: u8) -> u8 {
    let shifted = element << 1;
    if element & 0x80 == 0 { shifted } else { shifted ^ 0x1d }
}

/// Every write is inside of a chunk's device extent, or a superblock.
fn nothing_else(plan: &Plan) -> Outcome {
    for slot in &plan.devices {
        for write in &slot.writes {
            let (start, end) = (write.offset.get(), write.offset.get() + plan.payloads[write.payload as usize].length);
            let inside = plan.chunks.iter().any(|chunk| {
                let traits = chunk.profile.traits();
                let count = chunk.stripes.len() as u64;
                let length = chunk.length * traits.copies / (count - traits.parity);
                let length = if matches!(chunk.profile, Profile::Dup) { chunk.length } else { length };
                chunk.stripes.iter().any(|stripe| {
                    let first = stripe.offset.get();
                    stripe.devid == slot.devid && first <= start && end <= first + length
                })
            });
            ensure(inside, || format!("device {}: a write from {start} to {end} is in no chunk", slot.devid))?;
        }
    }
    Ok(())
}
