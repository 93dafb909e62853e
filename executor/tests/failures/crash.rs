//! The power goes off, after every single operation of every device.
//!
//! Devices wait for each other at two barriers and before the last write; between these, each may be anywhere. Whatever was
//! not flushed is lost, kept, or torn. What remains must be the old filesystem with all its blocks, no filesystem, or the
//! new one with all its blocks (see `verdict`).

use crate::medium::{Dice, Medium, Unflushed};
use crate::scenes::{MIB, Scene, run_on, scenes, targets, zoned_over_nothing};
use crate::verdict::{Judge, Verdict};
use btrfs_executor::device::{Operation, Recorded, SimulatedDevice};
use btrfs_executor::run::{Cancel, Event, Observer, Options, Outcome, Silent, Step, run};
use btrfs_planner::request::Profile;
use std::collections::BTreeMap;
use std::os::unix::fs::FileExt;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// Seeds of torn states for each point in time and each position of the other devices.
const TORN: u64 = 12;

/// What a device did, and where its phases begin: after the wipe, at the commit, at the last write.
struct Track {
    operations: Vec<Recorded>,
    /// Ends of the phases, as numbers of operations.
    ends: [usize; 4],
    /// What is certain after so many operations: the medium after the last flush before, and how many those are.
    certain: Vec<(usize, Medium)>,
}

impl Track {
    /// The medium that a loss of power leaves after `done` operations.
    fn after(&self, done: usize, unflushed: &Unflushed) -> Medium {
        let behind = self.certain.partition_point(|(operations, _)| *operations <= done);
        let (flushed, medium) = &self.certain[behind - 1];
        let mut medium = medium.clone();
        medium.lose_power(&self.operations[*flushed..done], unflushed);
        medium
    }

    fn phase(&self, phase: usize) -> (usize, usize) {
        (if phase == 0 { 0 } else { self.ends[phase - 1] }, self.ends[phase])
    }
}

/// Notes how many operations a device had done when a step began, and the phase of every operation of all devices.
struct Phases<'a> {
    devices: &'a [Arc<SimulatedDevice>],
    begun: Mutex<BTreeMap<(u64, Step), usize>>,
    order: Mutex<Vec<usize>>,
}

/// Which phase a step belongs to: between phases all devices wait for each other.
fn phase_of(step: Step) -> usize {
    match step {
        Step::Wipe => 0,
        Step::Discard | Step::Reset | Step::Zero | Step::Writes => 1,
        Step::Commit => 2,
        Step::Seal | Step::Verify => 3,
    }
}

impl Observer for Phases<'_> {
    fn event(&self, devid: u64, _: &str, event: Event<'_>) {
        if let Event::Write { step, .. } | Event::Flush { step } = event {
            self.order.lock().unwrap().push(phase_of(step));
        }
        if let Event::Begin { step, .. } = event {
            let so_far = self.devices[devid as usize - 1].recorded().len();
            self.begun.lock().unwrap().insert((devid, step), so_far);
            self.order.lock().unwrap().push(phase_of(step));
        }
    }
}

fn tracks(scene: &Scene) -> Vec<Track> {
    let devices: Vec<Arc<SimulatedDevice>> = scene.devices().into_iter().map(Arc::new).collect();
    let phases = Phases { devices: &devices, begun: Mutex::default(), order: Mutex::default() };
    let report = run(&scene.plan, &targets(&devices), &Options::default(), &Cancel::new(), &phases).unwrap();
    assert_eq!(report.outcome, Outcome::Done, "{}: {report:?}", scene.name);
    let begun = phases.begun.into_inner().unwrap();
    // What is cut below relies on this: nobody goes on before all have come so far.
    assert!(phases.order.into_inner().unwrap().is_sorted(), "{}: a device did not wait for the others", scene.name);
    let track = |((device, before), devid): ((&Arc<SimulatedDevice>, &Medium), u64)| {
        let operations = device.recorded();
        let end = operations.len();
        let first = |steps: &[Step]| steps.iter().filter_map(|step| begun.get(&(devid, *step))).min().copied();
        let wiped = first(&[Step::Discard, Step::Reset, Step::Zero, Step::Writes]).unwrap();
        let seal = first(&[Step::Seal]).unwrap_or(end);
        let commit = first(&[Step::Commit]).unwrap_or(seal);
        let mut certain = vec![(0, before.clone())];
        let mut medium = before.clone();
        for (done, recorded) in (1..).zip(&operations) {
            medium.apply(recorded);
            if recorded.operation == Operation::Flush {
                certain.push((done, medium.clone()));
            }
        }
        Track { operations, ends: [wiped, commit, seal, end], certain }
    };
    devices.iter().zip(&scene.before).zip(1..).map(track).collect()
}

/// Where the other devices are when one of them has come to a certain operation.
#[derive(Clone, Copy, Debug)]
enum Others {
    Behind,
    Ahead,
    Anywhere,
}

/// Cuts the power at every operation of a scene; how often, and what was left how often.
fn cut_everywhere(scene: &Scene) -> BTreeMap<Verdict, u64> {
    let tracks = tracks(scene);
    let judge = Judge::new(scene);
    let mut verdicts = BTreeMap::new();
    let mut dice = Dice(scene.name.len() as u64);
    for phase in 0..4 {
        for (number, track) in tracks.iter().enumerate() {
            let (begin, end) = track.phase(phase);
            for done in begin..=end {
                for others in [Others::Behind, Others::Ahead, Others::Anywhere] {
                    let places: Vec<usize> = tracks
                        .iter()
                        .enumerate()
                        .map(|(other, track)| {
                            let (begin, end) = track.phase(phase);
                            match others {
                                _ if other == number => done,
                                Others::Behind => begin,
                                Others::Ahead => end,
                                Others::Anywhere => begin + dice.below((end - begin + 1) as u64) as usize,
                            }
                        })
                        .collect();
                    let torn = (0..TORN).map(|_| Unflushed::Torn(Dice(dice.next())));
                    for unflushed in [Unflushed::Lost, Unflushed::Kept].into_iter().chain(torn) {
                        let media: Vec<Medium> =
                            tracks.iter().zip(&places).map(|(track, done)| track.after(*done, &unflushed)).collect();
                        match judge.judge(&media) {
                            Ok(verdict) => *verdicts.entry(verdict).or_default() += 1,
                            Err(problem) => panic!(
                                "{}: {problem}\nphase {phase}, device {}, {done} operations, others {others:?} {places:?}, \
                                 {unflushed:?}",
                                scene.name,
                                number + 1
                            ),
                        }
                    }
                    if tracks.len() == 1 {
                        break;
                    }
                }
            }
        }
    }
    verdicts
}

#[test]
fn power_lost_at_any_operation_leaves_all_or_nothing() {
    let mut scenes = scenes();
    scenes.extend(made_by_another());
    let mut points = 0;
    for scene in &scenes {
        let verdicts = cut_everywhere(scene);
        println!("{}: {verdicts:?}", scene.name);
        points += verdicts.values().sum::<u64>();
        // Every state is really met: a test of nothing would be as green.
        for verdict in [Verdict::Old, Verdict::Nothing, Verdict::Committing, Verdict::New] {
            assert!(
                verdicts.contains_key(&verdict)
                    || (verdict == Verdict::Committing && scene.plan.devices[0].commit.len() == 1),
                "{}: {verdicts:?}",
                scene.name
            );
        }
    }
    println!("{points} crash points");
    assert!(points > 10_000, "{points}");
}

/// The plan runs again over whatever a loss of power has left, and a loss of power during that is as harmless.
#[test]
fn a_second_run_is_as_safe_as_the_first() {
    for scene in scenes().into_iter().chain([zoned_over_nothing()]) {
        let tracks = tracks(&scene);
        let mut dice = Dice(7);
        let mut points = 0;
        for round in 0..6 {
            // In the middle of the commit, at its end, and anywhere.
            let phase = [3, 3, 2, 1, 2, 3][round];
            let unflushed = Unflushed::Torn(Dice(dice.next()));
            let left: Vec<Medium> = tracks
                .iter()
                .map(|track| {
                    let (begin, end) = track.phase(phase);
                    let done = if round == 0 { end } else { begin + dice.below((end - begin + 1) as u64) as usize };
                    track.after(done, &unflushed)
                })
                .collect();
            let fsid = scene.plan.filesystem.fsid.into_bytes();
            let again = Scene { name: scene.name, plan: scene.plan.clone(), old_fsid: fsid, before: left };
            points += cut_second(&again);
        }
        println!("{}: {points} crash points in second runs", scene.name);
    }
}

/// In a second run the old filesystem and the new one are the same: it is there as a whole, or not at all.
fn cut_second(scene: &Scene) -> u64 {
    let tracks = tracks(scene);
    let judge = Judge::new(scene);
    let mut points = 0;
    let mut dice = Dice(11);
    for phase in 0..4 {
        for (number, track) in tracks.iter().enumerate() {
            let (begin, end) = track.phase(phase);
            for done in begin..=end {
                let places: Vec<usize> = tracks
                    .iter()
                    .enumerate()
                    .map(|(other, track)| {
                        let (begin, end) = track.phase(phase);
                        if other == number { done } else { begin + dice.below((end - begin + 1) as u64) as usize }
                    })
                    .collect();
                for unflushed in [Unflushed::Lost, Unflushed::Kept, Unflushed::Torn(Dice(dice.next()))] {
                    let media: Vec<Medium> =
                        tracks.iter().zip(&places).map(|(track, done)| track.after(*done, &unflushed)).collect();
                    if let Err(problem) = judge.judge_second(&media) {
                        panic!("{}: {problem}\nphase {phase}, device {}, {done}, {places:?}", scene.name, number + 1);
                    }
                    points += 1;
                }
            }
        }
    }
    points
}

/// Over filesystems that the mkfs.btrfs of this machine has made.
fn made_by_another() -> Vec<Scene> {
    let cases: [(&str, usize, &str, Profile); 4] = [
        ("over a dup of mkfs.btrfs", 1, "-m dup -d single", Profile::Dup),
        ("over a raid1 of mkfs.btrfs", 2, "-m raid1 -d raid1", Profile::Raid1),
        ("over a raid0 of mkfs.btrfs", 2, "-m raid0 -d raid0", Profile::Raid1),
        ("over a raid10 of mkfs.btrfs", 4, "-m raid10 -d raid10", Profile::Raid10),
    ];
    let made = cases.into_iter().map(|(name, count, options, profile)| {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<_> = (0..count).map(|number| folder.path().join(format!("disk{number}"))).collect();
        for path in &paths {
            std::fs::File::create_new(path).unwrap().set_len(256 * MIB).unwrap();
        }
        let path = format!("{}:/usr/local/sbin:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
        let mut mkfs = Command::new("mkfs.btrfs");
        let ran = mkfs.env("PATH", path).args(["-q", "-f"]).args(options.split(' ')).args(&paths).output();
        let ran = ran.expect("mkfs.btrfs, which `make setup` installs");
        assert!(ran.status.success(), "{ran:?}");
        Scene::over_images(name, profile, paths.iter().map(|path| medium(path)).collect())
    });
    made.collect()
}

/// What an image file holds.
fn medium(path: &std::path::Path) -> Medium {
    let file = std::fs::File::open(path).unwrap();
    let size = file.metadata().unwrap().len();
    let mut medium = Medium::new(size, None);
    let mut buffer = vec![0; MIB as usize];
    for offset in (0..size).step_by(MIB as usize) {
        file.read_exact_at(&mut buffer, offset).unwrap();
        for (at, page) in (offset..).step_by(4096).zip(buffer.chunks(4096)) {
            if page.iter().any(|byte| *byte != 0) {
                medium.write(at, page);
            }
        }
    }
    medium
}

/// The harness itself: a run whose order is broken is found out.
#[test]
fn a_device_that_skips_its_flushes_is_found_out() {
    let scene = &scenes()[2];
    let mut tracks = tracks(scene);
    for track in &mut tracks {
        // As if the device had never been flushed before the end.
        track.certain.truncate(1);
    }
    let judge = Judge::new(scene);
    let mut dice = Dice(3);
    let found = (0..200).any(|_| {
        let unflushed = Unflushed::Torn(Dice(dice.next()));
        let media: Vec<Medium> = tracks.iter().map(|track| track.after(track.ends[3], &unflushed)).collect();
        judge.judge(&media).is_err()
    });
    assert!(found);
    let (report, _) = run_on(&scene.plan, scene.devices(), &Options::default(), &Cancel::new(), &Silent);
    assert_eq!(report.outcome, Outcome::Done);
}
