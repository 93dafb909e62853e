//! Where plans, requests and summaries go.

use super::args::Output;
use crate::cli::print::print;
use crate::console;
use crate::document::{self, DocumentError, Place};
use crate::exit::Failure;
use crate::probe::Identity;
use btrfs_planner::{Plan, view};
use std::io::{self, IsTerminal};
use std::path::Path;

/// Compression failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot compress the document")]
struct Incompressible(#[source] io::Error);

/// Puts a plan where it is wanted, and its summary where people look.
pub(crate) fn plan(plan: &Plan, output: &Output) -> Result<(), Failure> {
    if !output.quiet {
        console::tell(console::escaped_lines(&view::summary(plan)).trim_end());
    }
    if output.output.is_none() && io::stdout().is_terminal() {
        console::hint("the plan itself goes to a pipe or a file: | btrfs-exec, or -o plan.json");
        return Ok(());
    }
    let targets: Vec<&str> = plan.devices.iter().filter_map(|device| device.found.path.as_deref()).collect();
    document(plan.to_json(), output, &targets)
}

/// Puts a document where it is wanted, but not over one of the `targets`.
pub(crate) fn document(text: String, output: &Output, targets: &[&str]) -> Result<(), Failure> {
    let to = output.output.as_deref().map_or(Place::Standard, Place::from);
    let compress = output.compress
        || matches!(&to, Place::File(path) if path.extension().is_some_and(|extension| extension == "zst"));
    let bytes = if compress {
        document::compressed(text.as_bytes()).map_err(|error| Failure::refused(Incompressible(error)))?
    } else {
        text.into_bytes()
    };
    match to {
        Place::Standard => print(&bytes),
        Place::File(path) => {
            let output = Identity::of_path(&path);
            if output.is_some() && targets.iter().any(|target| Identity::of_path(Path::new(target)) == output) {
                let what = "it is a device of the plan".to_owned();
                return Err(DocumentError::Image { path, what }.into());
            }
            Ok(document::write_file(&path, &bytes)?)
        }
    }
}
