//! The command line.

use btrfs_planner::plan::Seal;
use clap::{ArgAction, Parser, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Run a plan that btrfs-plan has made.
///
/// Everything is checked before anything is written: the plan's seal, its audit, and that every device is the one that
/// was planned. Exit codes: 0 done; 1 failed after writing began; 2 wrong usage; 3 refused, nothing written; 4 interrupted.
#[derive(Debug, Parser)]
#[command(name = "btrfs-exec", version, max_term_width = 100)]
pub(crate) struct Args {
    /// The plan, plain or compressed ("-": standard input)
    #[arg(default_value = "-")]
    pub(crate) plan: PathBuf,

    /// Use PATH as the plan's device DEVID; needed for devices that were only described
    #[arg(long, value_name = "DEVID=PATH", value_parser = device, action = ArgAction::Append)]
    pub(crate) device: Vec<(u64, PathBuf)>,

    /// Do everything up to the first write, and print what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Run only the plan with this seal
    #[arg(long, value_name = "SEAL")]
    pub(crate) expect: Option<Seal>,

    /// Read everything back and compare
    #[arg(long)]
    pub(crate) verify: bool,

    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,

    /// Tell every step on standard output, an object a line
    #[arg(long, value_name = "FORMAT")]
    pub(crate) events: Option<Events>,

    /// Only errors and warnings
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Work on at most N devices at once
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

impl Args {
    /// Whether anything goes to standard output.
    pub(crate) fn prints(&self) -> bool {
        self.dry_run || self.events.is_some() || !self.quiet
    }
}

/// How events are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Events {
    /// JSON, an object a line
    Json,
}

fn device(text: &str) -> Result<(u64, PathBuf), String> {
    let (devid, path) = text.split_once('=').ok_or("it has the form DEVID=PATH, such as 1=/dev/sdb")?;
    let devid = devid.parse().map_err(|_| format!("'{devid}' is not the number of a device"))?;
    if path.is_empty() { Err("the path is empty".to_string()) } else { Ok((devid, PathBuf::from(path))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_named_by_devid() {
        let args = Args::try_parse_from(["btrfs-exec", "--device", "2=/dev/a=b", "--device", "1=x"]).unwrap();
        assert_eq!(args.device, [(2, "/dev/a=b".into()), (1, "x".into())]);
        assert_eq!(args.plan, PathBuf::from("-"));
        for wrong in [["--device", "x"], ["--device", "a=b"], ["--device", "1="], ["--jobs", "0"], ["--expect", "ab"]] {
            assert!(Args::try_parse_from(["btrfs-exec"].into_iter().chain(wrong)).is_err(), "{wrong:?}");
        }
    }
}
