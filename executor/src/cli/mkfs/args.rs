//! The command line of mkfs.btrfs: every option under the name that scripts know.

use crate::cli::options::Options;
use clap::{ArgAction, Parser};
use std::path::PathBuf;

/// Make a btrfs filesystem on one or more devices or image files
///
/// Takes the options of mkfs.btrfs from btrfs-progs 6.19, in any order. Plans, audits and executes in one go; btrfs-plan
/// takes the same options and only plans.
#[derive(Debug, Parser)]
#[command(
    name = "mkfs.btrfs",
    version,
    args_override_self = true,
    disable_help_flag = true,
    disable_version_flag = true,
    infer_long_args = true,
    max_term_width = 100,
    after_help = "Exit codes: 0 done; 1 not done."
)]
pub(crate) struct Args {
    /// Devices: block devices or image files. An image file that does not exist is created if --byte-count gives its size
    #[arg(value_name = "DEVICE")]
    pub(crate) devices: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) options: Options,

    #[command(flatten)]
    pub(crate) contents: Contents,

    /// Only errors and warnings; of this and --verbose the last one counts
    #[arg(short, long, overrides_with = "verbose")]
    pub(crate) quiet: bool,

    /// Say more: what was found on the devices, what was done to them
    #[arg(short, long, action = ArgAction::Count, overrides_with = "quiet")]
    pub(crate) verbose: u8,

    /// Print the version
    #[arg(short = 'V', long)]
    pub(crate) version: bool,

    /// Print this help
    #[arg(long, action = ArgAction::HelpLong)]
    help: Option<bool>,
}

/// Options of mkfs.btrfs that fill the new filesystem. They are understood, and refused as long as that is not offered.
#[derive(Debug, clap::Args)]
pub(crate) struct Contents {
    /// Not offered yet: fill the filesystem with the files of a folder
    #[arg(short = 'r', long, value_name = "DIR")]
    rootdir: Option<PathBuf>,

    /// Not offered yet: make a folder of --rootdir a subvolume
    #[arg(short = 'u', long, value_name = "[TYPE:]SUBDIR", action = ArgAction::Append)]
    subvol: Vec<PathBuf>,

    /// Not offered yet: give files of --rootdir flags
    #[arg(long, value_name = "FLAGS:PATH", action = ArgAction::Append)]
    inode_flags: Vec<PathBuf>,

    /// Not offered yet: compress the files of --rootdir ("no" is understood)
    #[arg(long, value_name = "ALGO[:LEVEL]")]
    compress: Option<String>,

    /// Not offered yet: clone the files of --rootdir
    #[arg(long)]
    reflink: bool,

    /// Not offered yet: make the filesystem no larger than --rootdir needs
    #[arg(long)]
    shrink: bool,
}

impl Contents {
    /// The first option that asks for contents.
    pub(crate) fn asked(&self) -> Option<&'static str> {
        let compress = self.compress.as_deref().is_some_and(|algorithm| algorithm != "no");
        let options = [
            (self.rootdir.is_some(), "--rootdir"),
            (!self.subvol.is_empty(), "--subvol"),
            (!self.inode_flags.is_empty(), "--inode-flags"),
            (compress, "--compress"),
            (self.reflink, "--reflink"),
            (self.shrink, "--shrink"),
        ];
        options.into_iter().find_map(|(asked, name)| asked.then_some(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use btrfs_planner::request::Profile;

    fn parsed(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(line.split(' '))
    }

    #[test]
    fn options_and_devices_come_in_any_order_and_clusters() {
        for line in [
            "mkfs.btrfs -fqLdata -d raid1 a b",
            "mkfs.btrfs a -f b -q --label data --data=RAID1",
            "mkfs.btrfs a b -qfdraid1 -Ldata",
            "mkfs.btrfs -d raid0 a b --lab data --quie -f -draid1",
        ] {
            let args = parsed(line).unwrap();
            assert_eq!(args.devices, [PathBuf::from("a"), PathBuf::from("b")], "{line}");
            assert!(args.quiet && args.options.force, "{line}");
            assert_eq!(args.options.label.as_deref(), Some("data"), "{line}");
            assert_eq!(args.options.data, Some(Profile::Raid1), "{line}");
        }
        assert_eq!(parsed("mkfs.btrfs -- -f").unwrap().devices, [PathBuf::from("-f")]);
        assert_eq!(parsed("mkfs.btrfs size=1G").unwrap().devices, [PathBuf::from("size=1G")], "no description");
    }

    #[test]
    fn what_is_unknown_or_ambiguous_is_refused() {
        for line in ["mkfs.btrfs -x a", "mkfs.btrfs -A 1 a", "mkfs.btrfs -h", "mkfs.btrfs --no a", "mkfs.btrfs a -b"] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }

    #[test]
    fn contents_are_told_by_their_first_option() {
        for (line, option) in [
            ("mkfs.btrfs -r x a", Some("--rootdir")),
            ("mkfs.btrfs -u ro:x a", Some("--subvol")),
            ("mkfs.btrfs --inode-flags nodatacow:x a", Some("--inode-flags")),
            ("mkfs.btrfs --compress zstd:3 a", Some("--compress")),
            ("mkfs.btrfs --reflink a", Some("--reflink")),
            ("mkfs.btrfs --shrink a", Some("--shrink")),
            ("mkfs.btrfs --compress no a", None),
        ] {
            assert_eq!(parsed(line).unwrap().contents.asked(), option, "{line}");
        }
    }
}
