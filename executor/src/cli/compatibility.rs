//! Which machines must be able to mount the filesystem, and what is asked for that only few of them can.

use super::options::Options;
use crate::size;
use btrfs_planner::Request;
use btrfs_planner::request::{Defaults, Feature, MOST_GLOBAL_ROOTS};

/// A value after `--param`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// Bytes of an emulated zone.
    ZoneSize(u64),
}

/// Puts it into a request.
pub(crate) fn apply(options: &Options, request: &mut Request) {
    request.defaults = options.defaults.unwrap_or_default();
    request.target_kernel = options.target_kernel;
    request.drop_unsupported = options.drop_unsupported;
    request.experimental = options.experimental;
    request.emulated_zone_size = options.param.iter().map(|Parameter::ZoneSize(size)| *size).next_back();
    let several = request.switch(Feature::ExtentTreeV2) == Some(true);
    request.global_roots = options.num_global_roots.or_else(|| several.then(processors));
}

/// This machine's processors, as far as extent trees for them can be made.
fn processors() -> u64 {
    let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u64::try_from(count).unwrap_or(u64::MAX).min(u64::from(MOST_GLOBAL_ROOTS))
}

/// The set of defaults that a name means.
pub(crate) fn defaults(text: &str) -> Result<Defaults, String> {
    let names = || Defaults::ALL.map(Defaults::name).join(", ");
    Defaults::from_name(text).ok_or_else(|| format!("no such set; there are {}", names()))
}

/// The parameter that a text sets.
pub(crate) fn parameter(text: &str) -> Result<Parameter, String> {
    match text.split_once('=') {
        Some(("zone-size", size)) => size::parse(size).map(Parameter::ZoneSize).map_err(|error| error.to_string()),
        _ => Err("there is one parameter: zone-size=SIZE".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use btrfs_planner::request::KernelVersion;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn options_end_in_the_request() {
        let line = "x --defaults compat --target-kernel 5.10.0-20-amd64 --drop-unsupported --experimental \
                    --param zone-size=4m --param zone-size=64m --num-global-roots 3";
        let mut request = Request::new(Vec::new(), "line", 0);
        apply(&Line::try_parse_from(line.split_whitespace()).unwrap().options, &mut request);
        assert_eq!(request.defaults, Defaults::Compat);
        assert_eq!(request.target_kernel, Some(KernelVersion::new(5, 10, 0)));
        assert!(request.drop_unsupported && request.experimental);
        assert_eq!(request.emulated_zone_size, Some(64 << 20));
        assert_eq!(request.global_roots, Some(3));
        request.features = vec!["extent-tree-v2".parse().unwrap()];
        for (line, roots) in [("x", Some(processors())), ("x --num-global-roots 3", Some(3))] {
            apply(&Line::try_parse_from(line.split_whitespace()).unwrap().options, &mut request);
            assert_eq!(request.global_roots, roots, "{line}");
        }
        request.features.push("^extent-tree-v2".parse().unwrap());
        apply(&Line::try_parse_from(["x"]).unwrap().options, &mut request);
        assert_eq!(request.global_roots, None);
    }

    #[test]
    fn what_makes_no_sense_is_no_command_line() {
        for line in [
            "x --defaults 4.0",
            "x --target-kernel six",
            "x --drop-unsupported",
            "x --param zone-size",
            "x --param a=1",
        ] {
            assert!(Line::try_parse_from(line.split(' ')).is_err(), "{line}");
        }
    }
}
