//! The promises of a run, held against simulated devices.

mod discard;
mod faults;
mod order;
mod threads;
mod zoned;

use super::{Cancel, Event, Observer, Options, Report, Silent, run};
use crate::bind::Target;
use crate::device::{Device, Operation, SimulatedDevice};
use btrfs_planner::plan::{Device as Slot, Plan};
use btrfs_planner::request::{DeviceFacts, DeviceKind, DiscardLimits, Profile, Request, Signature};
use std::io::{self, IoSlice};
use std::sync::Arc;
use std::time::{Duration, Instant};

const SIZE: u64 = 256 << 20;
const PRIMARY: u64 = 64 << 10;
const MAGIC_AT: u64 = PRIMARY + 64;
const MAGIC: &[u8] = b"_BHRfS_M";

/// A plan for this many devices, each with an old filesystem on it.
fn plan(devices: usize) -> Plan {
    let old = Signature {
        kind: "btrfs".into(),
        label: None,
        length: 8,
        offset: MAGIC_AT,
        usage: "filesystem".into(),
        uuid: None,
    };
    let facts = DeviceFacts {
        discard: Some(DiscardLimits { alignment: 0, granularity: 4096, max_bytes: 1 << 30 }),
        kind: DeviceKind::Described,
        logical_sector: 512,
        signatures: vec![old],
        size: SIZE,
        ..DeviceFacts::default()
    };
    let mut request = Request::new(vec![facts; devices], "a test", 0);
    request.force = true;
    request.metadata = (devices == 1).then_some(Profile::Dup);
    btrfs_planner::plan(&request).unwrap()
}

/// A device with an old superblock, and with something where zeros belong.
fn used() -> SimulatedDevice {
    SimulatedDevice::new(SIZE).with_content(MAGIC_AT, MAGIC).with_content(4096, &[0xee; 4096])
}

/// Runs a plan on these devices, which stay to be looked at.
fn run_on(plan: &Plan, devices: Vec<SimulatedDevice>) -> (Report, Vec<Arc<SimulatedDevice>>) {
    run_with(plan, devices, &Options::default(), &Cancel::new(), &Silent)
}

fn run_with(
    plan: &Plan,
    devices: Vec<SimulatedDevice>,
    options: &Options,
    cancel: &Cancel,
    observer: &dyn Observer,
) -> (Report, Vec<Arc<SimulatedDevice>>) {
    let devices: Vec<Arc<SimulatedDevice>> = devices.into_iter().map(Arc::new).collect();
    let targets = devices.iter().zip(1..).map(|(device, devid)| {
        let device: Box<dyn Device> = Box::new(Arc::clone(device));
        Target { name: format!("sim{devid}"), device }
    });
    let targets: Vec<Target> = targets.collect();
    let report = run(plan, &targets, options, cancel, observer).unwrap();
    (report, devices)
}

/// Every byte range that a list of writes fills, with its bytes.
fn expected(plan: &Plan, slot: &Slot) -> Vec<(u64, Vec<u8>)> {
    let writes = slot.writes.iter().chain(&slot.commit);
    writes.map(|write| (write.offset.get(), plan.payloads[write.payload as usize].expand().unwrap())).collect()
}

fn assert_complete(plan: &Plan, devices: &[Arc<SimulatedDevice>]) {
    for (slot, device) in plan.devices.iter().zip(devices) {
        for (offset, bytes) in expected(plan, slot) {
            assert!(device.durable(offset, bytes.len()) == bytes, "device {} at {offset}", slot.devid);
        }
        for range in &slot.zero {
            let bytes = device.durable(range.start, range.length as usize);
            assert!(bytes.iter().all(|byte| *byte == 0), "device {} at {}", slot.devid, range.start);
        }
    }
}

/// Whether an operation writes where `slot` commits.
fn commits(slot: &Slot, operation: Operation) -> bool {
    let Operation::Write { offset, .. } = operation else { return false };
    slot.commit.iter().any(|write| write.offset.get() == offset)
}

/// Does something that must be over soon. A busy machine may need more than one try.
fn assert_soon(limit: Duration, take: impl Fn()) {
    let mut tries = Vec::new();
    for _ in 0..4 {
        let begin = Instant::now();
        take();
        tries.push(begin.elapsed());
        if begin.elapsed() < limit {
            return;
        }
    }
    panic!("{tries:?}");
}

/// Asks to stop at the n-th event.
struct StopAt {
    cancel: Cancel,
    left: std::sync::atomic::AtomicUsize,
}

impl Observer for StopAt {
    fn event(&self, _: u64, _: &str, _: Event<'_>) {
        use std::sync::atomic::Ordering::SeqCst;
        if self.left.fetch_sub(1, SeqCst) == 1 {
            self.cancel.interrupt();
        }
    }
}
