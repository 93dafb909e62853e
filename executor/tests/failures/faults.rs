//! Something goes wrong with a device, at every single one of its operations.

use crate::medium::Dice;
use crate::scenes::{MIB, Scene, run_on, scenes};
use btrfs_executor::device::{Gate, Operation, OperationKind, SimulatedDevice, Trouble};
use btrfs_executor::exit::ExitStatus;
use btrfs_executor::run::{Cancel, Options, Outcome, Report, Silent, Step};
use btrfs_planner::disk::superblock::{MAGIC, SUPERBLOCK_OFFSETS};
use nix::libc::{EINTR, EIO, ENODEV, ENOSPC, ENXIO, EOPNOTSUPP, EREMOTEIO};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// No run may take this long: one that does waits for something that never comes.
const PATIENCE: Duration = Duration::from_secs(60);

/// What may happen at an operation.
fn troubles(size: u64) -> Vec<Trouble> {
    let mut troubles: Vec<Trouble> =
        [EIO, ENOSPC, EINTR, EOPNOTSUPP, EREMOTEIO, ENXIO].into_iter().map(Trouble::Error).collect();
    troubles.extend([ENXIO, ENODEV].into_iter().map(Trouble::Gone));
    troubles.extend([size / 2, 96 << 10].into_iter().map(Trouble::Shrink));
    troubles.push(Trouble::Short);
    troubles
}

/// How a run must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Done,
    /// With this error of the device, if it has a number.
    Failed(Option<i32>),
}

fn expected(operations: &[Operation], at: usize, trouble: &Trouble) -> Expected {
    let kind = operations[at].kind();
    match trouble {
        // The kernel reports a lost write once: a flush is not repeated.
        Trouble::Error(errno) if kind == OperationKind::Flush => Expected::Failed(Some(*errno)),
        Trouble::Error(errno) if *errno == EINTR => Expected::Done,
        // Discards are a favour.
        Trouble::Error(_) if kind == OperationKind::Discard => Expected::Done,
        Trouble::Error(errno) | Trouble::Gone(errno) => Expected::Failed(Some(*errno)),
        Trouble::Short | Trouble::Hang(_) => Expected::Done,
        Trouble::Shrink(size) => {
            let beyond = |operation: &Operation| match operation {
                Operation::Read { offset, length } | Operation::Write { offset, length } => offset + length > *size,
                _ => false,
            };
            if operations[at..].iter().any(beyond) { Expected::Failed(None) } else { Expected::Done }
        }
    }
}

/// Whether the device holds the superblock that the plan has for this place.
fn holds(scene: &Scene, device: usize, place: usize, found: &SimulatedDevice) -> bool {
    let write = scene.plan.devices[device].commit[place];
    let bytes = scene.plan.payloads[write.payload as usize].expand().unwrap();
    found.content(write.offset.get(), bytes.len()) == bytes
}

/// What must be true after any run, however it ended.
fn check(scene: &Scene, report: &Report, devices: &[Arc<SimulatedDevice>]) {
    let plan = &scene.plan;
    let names: Vec<String> = (1..=devices.len()).map(|devid| format!("sim{devid}")).collect();
    assert_eq!(report.devices.iter().map(|device| device.name.clone()).collect::<Vec<_>>(), names);
    assert!(report.devices.iter().all(|device| !device.reached().is_empty()));
    let changed = devices.iter().any(|device| !device.recorded().is_empty());
    assert!(report.touched() || !changed, "it says that nothing was written, and something was");
    let status = match report.outcome {
        Outcome::Done => ExitStatus::Done,
        Outcome::Interrupted => ExitStatus::Interrupted,
        Outcome::Failed if report.touched() => ExitStatus::Failed,
        Outcome::Failed => ExitStatus::Refused,
    };
    assert_eq!(report.status(), status);

    let superblocks = |device: usize| (0..plan.devices[device].commit.len()).map(move |place| (device, place));
    let last = (0, plan.devices[0].commit.len() - 1);
    let there = |(device, place): (usize, usize)| holds(scene, device, place, &devices[device]);
    if report.outcome == Outcome::Done {
        assert!(report.committed && (0..devices.len()).flat_map(superblocks).all(there));
        for (slot, device) in plan.devices.iter().zip(devices) {
            for write in slot.writes.iter().chain(&slot.commit) {
                let bytes = plan.payloads[write.payload as usize].expand().unwrap();
                assert!(device.durable(write.offset.get(), bytes.len()) == bytes, "at {}", write.offset);
            }
        }
        return;
    }
    assert!(!report.committed);
    let committing = report.devices.iter().flat_map(|device| &device.steps).any(|step| step.step >= Step::Commit);
    let sealing = report.devices.iter().flat_map(|device| &device.steps).any(|step| step.step == Step::Seal);
    assert!(committing || !(0..devices.len()).flat_map(superblocks).any(there), "a superblock before all were ready");
    assert!(sealing || !there(last), "the last superblock before the others");
    // Once anything but a wipe was done to any device, no superblock of the old filesystem is on any of them.
    let begun = report.devices.iter().flat_map(|device| &device.steps).any(|step| step.step > Step::Wipe);
    let old = |device: &Arc<SimulatedDevice>| {
        let place = if plan.devices[0].found.zones.is_some() { 0 } else { SUPERBLOCK_OFFSETS[0] };
        device.content(place + 64, 8) == MAGIC && device.content(place + 32, 16) == scene.old_fsid
    };
    assert!(!begun || !devices.iter().any(old), "the old filesystem while its blocks go");
}

/// Ends the process if a run hangs: a test that waits for a lock tells nobody.
struct Watchdog(Arc<Mutex<(String, Instant)>>);

impl Watchdog {
    fn new() -> Self {
        let state = Arc::new(Mutex::new((String::new(), Instant::now())));
        let watched = Arc::downgrade(&state);
        std::thread::spawn(move || {
            while let Some(state) = watched.upgrade() {
                let (name, since) = state.lock().unwrap().clone();
                if since.elapsed() > PATIENCE {
                    eprintln!("this run does not end: {name}");
                    std::process::abort();
                }
                drop(state);
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        Self(state)
    }

    fn watch(&self, name: String) {
        *self.0.lock().unwrap() = (name, Instant::now());
    }
}

fn run_with_troubles(scene: &Scene, troubles: &[(usize, usize, Trouble)]) -> (Report, Vec<Arc<SimulatedDevice>>) {
    let mut devices = scene.devices();
    for (index, at, trouble) in troubles {
        let device = std::mem::replace(&mut devices[*index], SimulatedDevice::new(0));
        devices[*index] = device.with_trouble(*at, trouble.clone());
    }
    run_on(&scene.plan, devices, &Options::default(), &Cancel::new(), &Silent)
}

/// What every device does if all goes well.
fn operations(scene: &Scene) -> Vec<Vec<Operation>> {
    let (report, devices) = run_with_troubles(scene, &[]);
    assert_eq!(report.outcome, Outcome::Done, "{}: {report:?}", scene.name);
    check(scene, &report, &devices);
    devices.iter().map(|device| device.operations()).collect()
}

#[test]
fn trouble_at_any_operation_is_told_and_does_no_more_harm() {
    let watchdog = Watchdog::new();
    let mut points = 0;
    for scene in scenes() {
        let whole = operations(&scene);
        let mut here = 0;
        for (index, operations) in whole.iter().enumerate() {
            for at in 0..operations.len() {
                for trouble in troubles(scene.plan.devices[index].found.size) {
                    let name =
                        format!("{}: {trouble:?} at {at} of device {}, {:?}", scene.name, index + 1, operations[at]);
                    watchdog.watch(name.clone());
                    let (report, devices) = run_with_troubles(&scene, &[(index, at, trouble.clone())]);
                    let failed: Vec<usize> =
                        (0..devices.len()).filter(|device| report.devices[*device].error.is_some()).collect();
                    match expected(operations, at, &trouble) {
                        Expected::Done => {
                            assert_eq!((report.outcome, &failed[..]), (Outcome::Done, &[][..]), "{name}: {report:?}");
                        }
                        Expected::Failed(errno) => {
                            assert_eq!(
                                (report.outcome, &failed[..]),
                                (Outcome::Failed, &[index][..]),
                                "{name}: {report:?}"
                            );
                            let error = report.errors().next().unwrap();
                            assert!(errno.is_none() || error.source.raw_os_error() == errno, "{name}: {error:?}");
                            assert!(error.to_string().starts_with(&format!("sim{}: ", index + 1)), "{name}: {error}");
                        }
                    }
                    let told = &report.devices[index];
                    if let (Trouble::Error(errno), Operation::Discard { .. }) = (&trouble, operations[at]) {
                        let expected = usize::from(*errno != EINTR);
                        assert_eq!(told.notes.len() + told.warnings.len(), expected, "{name}: {told:?}");
                    }
                    check(&scene, &report, &devices);
                    here += 1;
                }
            }
        }
        println!("{}: {here} fault points", scene.name);
        points += here;
    }
    println!("{points} fault points");
    assert!(points > 3000, "{points}");
}

/// Two devices in trouble: at least one of them is named, and no other.
#[test]
fn trouble_with_two_devices_is_told() {
    let watchdog = Watchdog::new();
    let mut dice = Dice(5);
    for scene in scenes().into_iter().filter(|scene| scene.plan.devices.len() > 1) {
        let whole = operations(&scene);
        for _ in 0..60 {
            let first = dice.below(whole.len() as u64) as usize;
            let second = (first + 1 + dice.below(whole.len() as u64 - 1) as usize) % whole.len();
            let mut trouble = |index: usize| {
                let all = troubles(256 * MIB);
                let at = dice.below(whole[index].len() as u64) as usize;
                (index, at, all[dice.below(all.len() as u64) as usize].clone())
            };
            let both = [trouble(first), trouble(second)];
            let name = format!("{}: {both:?}", scene.name);
            watchdog.watch(name.clone());
            let (report, devices) = run_with_troubles(&scene, &both);
            let must_fail =
                both.iter().any(|(index, at, trouble)| expected(&whole[*index], *at, trouble) != Expected::Done);
            assert_eq!(report.outcome == Outcome::Failed, must_fail, "{name}: {report:?}");
            let others = report.devices.iter().enumerate().filter(|(index, _)| ![first, second].contains(index));
            assert!(others.into_iter().all(|(_, device)| device.error.is_none()), "{name}: {report:?}");
            check(&scene, &report, &devices);
        }
    }
}

/// A request that does not end is waited for; whoever asks to stop meanwhile is heard as soon as it does. Nobody else goes
/// on to superblocks in the meantime.
#[test]
fn a_hanging_request_keeps_everybody_from_the_commit() {
    let watchdog = Watchdog::new();
    for scene in scenes().into_iter().filter(|scene| ["raid1", "zoned raid1"].contains(&scene.name)) {
        for (index, operations) in operations(&scene).iter().enumerate() {
            for at in 0..operations.len() {
                watchdog.watch(format!("{}: {:?} of device {}", scene.name, operations[at], index + 1));
                let gate = Gate::default();
                let cancel = Cancel::new();
                let mut devices = scene.devices();
                let device = std::mem::replace(&mut devices[index], SimulatedDevice::new(0));
                devices[index] = device.with_trouble(at, Trouble::Hang(gate.clone()));
                let (report, devices) = std::thread::scope(|scope| {
                    let run = scope.spawn(|| run_on(&scene.plan, devices, &Options::default(), &cancel, &Silent));
                    assert!(gate.is_reached(PATIENCE));
                    std::thread::sleep(Duration::from_millis(3));
                    assert!(!run.is_finished());
                    cancel.interrupt();
                    gate.open();
                    run.join().unwrap()
                });
                check(&scene, &report, &devices);
                assert_eq!(report.errors().count(), 0);
                let late = devices.iter().any(|device| device.recorded().len() == operations.len());
                assert!(matches!(report.outcome, Outcome::Interrupted | Outcome::Done) || late, "{report:?}");
            }
        }
    }
}
