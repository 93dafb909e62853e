//! `btrfs-plan`: plans a new btrfs filesystem, and writes nothing but the plan.

mod args;
mod audit;
mod capacity;
mod diff;
mod minimum;
mod output;
mod schema;
mod show;
mod terminal;

pub(super) use args::Args;

use super::print::{parsed, print};
use super::{ended, features, request};
use crate::exit::{ExitStatus, Failure};
use args::Command;
use std::process::ExitCode;

pub(super) fn main() -> ExitCode {
    match parsed::<Args>() {
        Ok(args) => ended(run(&args)).into(),
        Err(status) => status.into(),
    }
}

fn run(args: &Args) -> Result<ExitStatus, Failure> {
    match &args.command {
        Some(Command::Show(args)) => show::run(args)?,
        Some(Command::Audit(args)) => audit::run(args)?,
        Some(Command::Capacity(args)) => capacity::run(args)?,
        Some(Command::Minimum(args)) => minimum::run(args)?,
        Some(Command::Diff(args)) => return diff::run(args),
        Some(Command::Schema { of }) => schema::run(*of)?,
        None if args.options.lists_features() => print(features::table(&args.options)?.as_bytes())?,
        None => plan(args)?,
    }
    Ok(ExitStatus::Done)
}

fn plan(args: &Args) -> Result<(), Failure> {
    let request = request::request(&args.asked())?;
    if args.print_request {
        let targets: Vec<&str> = request.devices.iter().filter_map(|device| device.path.as_deref()).collect();
        return output::document(request.to_json(), &args.output, &targets);
    }
    output::plan(&request::plan(&request)?, &args.output)
}
