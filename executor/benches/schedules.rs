//! The two tables that this project began with, on simulated devices whose requests take their time:
//! `cargo bench -p btrfs-executor`.

use btrfs_executor::bind::Target;
use btrfs_executor::device::{Device, OperationKind, SimulatedDevice};
use btrfs_executor::run::{Cancel, Options, Outcome, Silent, run};
use btrfs_planner::Plan;
use btrfs_planner::request::{
    DeviceFacts, DiscardLimits, DiscardStrategy, Profile, Request, ZoneRun, ZoneState, Zones,
};
use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// How often a run is repeated; the median counts.
const RUNS: usize = 9;

fn main() -> Result<()> {
    // `cargo test --benches` only wants to know that it starts.
    if std::env::args().any(|argument| argument == "--bench") {
        discards()?;
        resets()?;
    }
    Ok(())
}

/// Runs a plan on devices made for it, after something else was done to them; the median time, and the devices.
fn time(
    runs: usize,
    plan: &Plan,
    device: impl Fn() -> SimulatedDevice,
    before: impl Fn(&[Arc<SimulatedDevice>]) -> io::Result<()>,
) -> Result<(Duration, Vec<Arc<SimulatedDevice>>)> {
    let mut times = Vec::new();
    let mut last = Vec::new();
    for _ in 0..runs {
        let devices: Vec<Arc<SimulatedDevice>> = plan.devices.iter().map(|_| Arc::new(device())).collect();
        let targets =
            devices.iter().map(|device| Target { name: "simulated".into(), device: Box::new(device.clone()) });
        let targets: Vec<Target> = targets.collect();
        let begin = Instant::now();
        before(&devices)?;
        let report = run(plan, &targets, &Options::default(), &Cancel::new(), &Silent)?;
        times.push(begin.elapsed());
        if report.outcome != Outcome::Done {
            return Err(format!("{report:?}").into());
        }
        last = devices;
    }
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    Ok((median, last))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "missed" }
}

/// A copy of metadata here and a copy there, and a device that has to seek.
fn discards() -> Result<()> {
    const SEEK: Duration = Duration::from_millis(2);
    const ELEMENT: u64 = 64 << 10;
    let plan = |discard| {
        let limits = DiscardLimits { alignment: 0, granularity: 4096, max_bytes: 1 << 40 };
        let facts = DeviceFacts { discard: Some(limits), ..DeviceFacts::described(10 << 30) };
        let mut request = Request::new(vec![facts], "a benchmark", 0);
        (request.metadata, request.discard) = (Some(Profile::Dup), discard);
        btrfs_planner::plan(&request)
    };
    let none = plan(DiscardStrategy::None)?;
    // As the reference did it before it had a queue: free metadata, an element of 64 KiB after the other, and each of
    // them in one copy and then in the other.
    let mut naive = Vec::new();
    for chunk in none.chunks.iter().filter(|chunk| chunk.stripes.len() == 2) {
        let ends = none.blocks.iter().map(|block| block.logical.get() + u64::from(none.filesystem.node_size));
        let begin = chunk.logical.get();
        let used = ends.filter(|end| (begin..begin + chunk.length).contains(end)).max().unwrap_or(begin) - begin;
        for at in (used.next_multiple_of(ELEMENT)..chunk.length).step_by(usize::try_from(ELEMENT)?) {
            naive.extend(chunk.stripes.iter().map(|stripe| stripe.offset.get() + at));
        }
    }
    let device = || SimulatedDevice::new(10 << 30).with_seek(SEEK);
    let nothing = |_: &[Arc<SimulatedDevice>]| Ok(());
    let one_by_one = |devices: &[Arc<SimulatedDevice>]| {
        devices.iter().try_for_each(|device| naive.iter().try_for_each(|offset| device.discard(*offset, ELEMENT)))
    };
    println!("Discard with DUP metadata, 10 GiB, {} ms a seek", milliseconds(SEEK));
    println!("{:<22} {:>9} {:>12} {:>8}", "", "discards", "ms", "of none");
    let least = time(RUNS, &none, device, nothing)?;
    let least_seconds = least.0.as_secs_f64();
    let mut bridged = 0.0;
    for (name, result) in [
        ("hole by hole", time(1, &none, device, one_by_one)?),
        ("merged (exact)", time(RUNS, &plan(DiscardStrategy::Exact)?, device, nothing)?),
        ("bridged (default)", time(RUNS, &plan(DiscardStrategy::Bridge)?, device, nothing)?),
        ("none (-K)", least),
    ] {
        let (time, devices) = result;
        let requests: usize = devices.iter().map(|device| device.count(OperationKind::Discard)).sum();
        let ratio = time.as_secs_f64() / least_seconds;
        if name.starts_with("bridged") {
            bridged = ratio;
        }
        println!("{name:<22} {requests:>9} {:>12.1} {ratio:>8.2}", milliseconds(time));
    }
    println!("Aim, bridged within 1.2 times none: {}\n", verdict(bridged <= 1.2));
    Ok(())
}

/// Zoned devices, all of whose zones must be reset.
fn resets() -> Result<()> {
    const ZONE: u64 = 4 << 20;
    const ZONES: u64 = 32;
    const LATENCY: Duration = Duration::from_millis(100);
    /// What waits for one zone after the other waits a tenth as long, and is shown ten times as long.
    const SCALE: u32 = 10;
    let zones =
        Zones { runs: vec![ZoneRun::new(ZONES, ZoneState::Full)], ..Zones::described(ZONES * ZONE, ZONE, None, 0) };
    let device =
        |latency| SimulatedDevice::new(ZONES * ZONE).with_zones(&zones).with_latency(OperationKind::Reset, latency);
    let plan = |count| {
        let facts = DeviceFacts { zones: Some(zones.clone()), ..DeviceFacts::described(ZONES * ZONE) };
        let mut request = Request::new(vec![facts; count], "a benchmark", 0);
        request.metadata = Some(Profile::Raid1);
        btrfs_planner::plan(&request)
    };
    let by_zone = |device: &Arc<SimulatedDevice>| (0..ZONES).try_for_each(|zone| device.reset_zones(zone * ZONE, ZONE));
    println!(
        "Reset of {ZONES} dirty zones a device, {} ms a request (zone by zone measured with {} ms, shown times {SCALE})",
        milliseconds(LATENCY),
        milliseconds(LATENCY / SCALE),
    );
    println!(
        "{:>7} {:>12} {:>22} {:>10} {:>16}",
        "devices", "serial ms", "a thread a device ms", "ours ms", "our requests"
    );
    let mut ours = Vec::new();
    for count in [2, 4, 6, 8, 10, 32] {
        let slow: Vec<Arc<SimulatedDevice>> = (0..count).map(|_| Arc::new(device(LATENCY / SCALE))).collect();
        let begin = Instant::now();
        slow.iter().try_for_each(by_zone)?;
        let serial = begin.elapsed() * SCALE;
        let begin = Instant::now();
        std::thread::scope(|scope| {
            let threads: Vec<_> = slow.iter().map(|device| scope.spawn(|| by_zone(device))).collect();
            threads
                .into_iter()
                .try_for_each(|thread| thread.join().map_err(|_| io::Error::other("a thread panicked"))?)
        })?;
        let threads = begin.elapsed() * SCALE;
        let (time, devices) = time(RUNS, &plan(count)?, || device(LATENCY), |_| Ok(()))?;
        let requests: usize = devices.iter().map(|device| device.count(OperationKind::Reset)).sum();
        println!(
            "{count:>7} {:>12.0} {:>22.0} {:>10.1} {:>16}",
            milliseconds(serial),
            milliseconds(threads),
            milliseconds(time),
            requests,
        );
        ours.push((time, requests == count));
    }
    let flat = ours.iter().map(|(time, _)| *time).max().zip(ours.iter().map(|(time, _)| *time).min());
    let ratio = flat.map_or(0.0, |(most, least)| most.as_secs_f64() / least.as_secs_f64());
    println!("Aim, flat within 1.2 times: {ratio:.2}, {}", verdict(ratio <= 1.2));
    println!("Aim, one request a device: {}", verdict(ours.iter().all(|(_, one)| *one)));
    Ok(())
}
