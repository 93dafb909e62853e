//! `btrfs-plan minimum`: how large devices must be, before there are any.

use super::terminal::Look;
use crate::cli::options::Options;
use crate::cli::request::{self, Asked};
use crate::exit::Failure;
use crate::size;
use crate::target::Target;
use btrfs_planner::RequestError;
use btrfs_planner::request::{DeviceFacts, Profile, Zones};
use btrfs_planner::view::{MinimumView, text};

/// Tell the smallest devices that these options can be planned on
///
/// Takes the options of planning, and no device.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  btrfs-plan minimum                            one device, default profiles
  btrfs-plan minimum -m single --json           for an image builder
  btrfs-plan minimum -d raid10 -m raid1c3       as many devices as the profiles need
  btrfs-plan minimum -m dup --zone 256M         zones that are written in order")]
pub(crate) struct Args {
    /// How many devices; the fewest that the profiles need unless given
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    devices: Option<u16>,

    /// Devices with zones of this size, which must be written in order
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    zone: Option<u64>,

    /// A document instead of text
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    look: Look,

    #[command(flatten)]
    options: Options,
}

/// A size is what is asked for.
#[derive(Debug, thiserror::Error)]
#[error("--byte-count gives a size, and minimum finds one")]
struct Given;

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.options.byte_count.is_some() {
        return Err(Failure::usage(Given).with_hint(Some("leave it out")));
    }
    let profiles = [args.options.data, args.options.metadata].into_iter().flatten();
    let fewest = profiles.map(|profile: Profile| profile.traits().min_devices).max().unwrap_or(1);
    let count = args.devices.map_or(fewest, u64::from);
    // Sizes do not count here.
    let mut device = DeviceFacts::described(0);
    device.zones = args.zone.map(|zone| Zones::described(0, zone, None, 0));
    let targets: Vec<Target> = (0..count).map(|_| Target::Described(device.clone())).collect();
    let asked = Asked { targets: &targets, options: &args.options, saved: None, quiet: true, verbose: false };
    let view = MinimumView::of(&request::request(&asked)?).map_err(Failure::refused_with(RequestError::hint))?;
    if args.json { args.look.put_json(&view) } else { args.look.put(&text::minimum(&view, args.look.style())) }
}
