//! From a command line to a request: whatever the planner may not ask for itself is found out here.

use super::options::{LIST_ALL, Options};
use super::{compatibility, facts, unique};
use crate::console;
use crate::document::{self, Place};
use crate::exit::Failure;
use crate::target::Target;
use btrfs_planner::request::{DeviceFacts, DiscardStrategy, Feature, FeatureSwitch, UnknownFeature};
use btrfs_planner::{Plan, Request, RequestError};
use std::io::{self, Read};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Command lines that make no sense.
#[derive(Debug, thiserror::Error)]
enum Usage {
    #[error("no device is given")]
    NoTarget,
    #[error(transparent)]
    Feature(#[from] UnknownFeature),
    #[error("the feature {0} is none of those that -R switches")]
    Runtime(Feature),
    #[error("--nodiscard (-K) discards nothing, and --discard says how to discard")]
    Discard,
    #[error("SOURCE_DATE_EPOCH is '{0}', not a number of seconds")]
    Epoch(String),
}

/// What -R was for, while it was needed.
const RUNTIME: [Feature; 2] = [Feature::Quota, Feature::FreeSpaceTree];

/// No randomness or no clock.
#[derive(Debug, thiserror::Error)]
#[error("cannot get {what}: give {option}")]
struct Missing {
    what: &'static str,
    option: &'static str,
    source: io::Error,
}

/// What a command line asks for.
pub(crate) struct Asked<'a> {
    /// The devices, by devid.
    pub(crate) targets: &'a [Target],
    pub(crate) options: &'a Options,
    /// A saved request, instead of options.
    pub(crate) saved: Option<&'a Path>,
    /// No warnings.
    pub(crate) quiet: bool,
    /// Say what was found on the devices.
    pub(crate) verbose: bool,
}

/// The plan that is asked for.
pub(crate) fn planned(asked: &Asked<'_>) -> Result<Plan, Failure> {
    plan(&request(asked)?)
}

/// The plan for a request.
pub(crate) fn plan(request: &Request) -> Result<Plan, Failure> {
    btrfs_planner::plan(request).map_err(Failure::refused_with(RequestError::hint))
}

pub(crate) fn request(asked: &Asked<'_>) -> Result<Request, Failure> {
    if let Some(path) = asked.saved {
        let text = document::read(&Place::from(path))?;
        return Request::from_json(&text).map_err(Failure::refused_with(RequestError::hint));
    }
    if asked.targets.is_empty() {
        return Err(Failure::usage(Usage::NoTarget).with_hint(Some("btrfs-plan --help tells what can be one")));
    }
    let options = asked.options;
    of(options, asked.quiet, || facts::facts(asked.targets, options.byte_count, asked.verbose))
}

/// The request that options make. Devices are looked at once everything else makes sense.
pub(crate) fn of(
    options: &Options,
    quiet: bool,
    facts: impl FnOnce() -> Result<Vec<DeviceFacts>, Failure>,
) -> Result<Request, Failure> {
    let features = switches(options, quiet)?;
    let discard = discard(options)?;
    let time = match options.time {
        Some(time) => time,
        None => time()?,
    };
    let seed = match &options.seed {
        Some(seed) => seed.clone(),
        None => random()?,
    };
    let mut request = Request::new(facts()?, &seed, time);
    request.byte_count = options.byte_count;
    request.checksum = options.checksum.unwrap_or_default();
    request.data = options.data;
    request.discard = discard;
    request.features = features;
    request.force = options.force;
    request.identity.fsid = options.uuid.flatten();
    request.identity.device_uuids = options.device_uuid.iter().copied().flatten().collect();
    request.label = options.label.clone().unwrap_or_default();
    request.metadata = options.metadata;
    request.mixed = options.mixed;
    request.node_size = options.nodesize;
    request.page_size = options.page_size.unwrap_or_else(page_size);
    request.sector_size = options.sectorsize.filter(|size| *size != 0);
    compatibility::apply(options, &mut request);
    unique::refuse_known(&request)?;
    Ok(request)
}

fn discard(options: &Options) -> Result<DiscardStrategy, Failure> {
    match (options.nodiscard, options.discard) {
        (false, how) => Ok(how.unwrap_or_default()),
        (true, None | Some(DiscardStrategy::None)) => Ok(DiscardStrategy::None),
        (true, Some(_)) => Err(Failure::usage(Usage::Discard).with_hint(Some("leave out one of them"))),
    }
}

/// The features that are switched, in their order.
pub(crate) fn switches(options: &Options, quiet: bool) -> Result<Vec<FeatureSwitch>, Failure> {
    if !options.runtime_features.is_empty() && !quiet {
        console::warning("-R is deprecated, use -O");
    }
    let named = |names: &[String]| {
        let names = names.iter().filter(|name| !name.is_empty() && *name != LIST_ALL);
        names.map(|name| name.parse()).collect::<Result<Vec<FeatureSwitch>, UnknownFeature>>()
    };
    let unknown =
        |error: UnknownFeature| Failure::usage(Usage::from(error)).with_hint(Some("-O list-all shows all features"));
    let mut switches = named(&options.features).map_err(unknown)?;
    let runtime = named(&options.runtime_features).map_err(unknown)?;
    if let Some(other) = runtime.iter().find(|switch| !RUNTIME.contains(&switch.feature)) {
        return Err(Failure::usage(Usage::Runtime(other.feature)).with_hint(Some("use -O")));
    }
    switches.extend(runtime);
    Ok(switches)
}

fn time() -> Result<u64, Failure> {
    if let Some(text) = std::env::var_os("SOURCE_DATE_EPOCH").filter(|text| !text.is_empty()) {
        let text = text.to_string_lossy();
        return text.parse().map_err(|_| Failure::usage(Usage::Epoch(text.into_owned())));
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|error| {
        Failure::refused(Missing { what: "a time after 1970", option: "--time", source: io::Error::other(error) })
    })?;
    Ok(since.as_secs())
}

/// A random UUID as text, so that no two filesystems are the same by accident.
fn random() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .map_err(|source| Failure::refused(Missing { what: "random numbers", option: "--seed", source }))?;
    Ok(uuid::Builder::from_random_bytes(bytes).into_uuid().to_string())
}

/// This machine's page size; the commonest one where it does not tell.
fn page_size() -> u32 {
    let size = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok().flatten();
    size.and_then(|size| size.try_into().ok()).unwrap_or(4096)
}
