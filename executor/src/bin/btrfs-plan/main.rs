//! Plans a new btrfs filesystem, and writes nothing but the plan.

mod args;
mod audit;
mod capacity;
mod diff;
mod facts;
mod features;
mod output;
mod request;
mod schema;
mod show;
mod terminal;

use args::{Args, Command};
use btrfs_executor::console;
use btrfs_executor::exit::{ExitStatus, Failure};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(status) => status.into(),
        Err(failure) => {
            console::failure(&failure);
            failure.status.into()
        }
    }
}

fn run(args: &Args) -> Result<ExitStatus, Failure> {
    match &args.command {
        Some(Command::Show(args)) => show::run(args)?,
        Some(Command::Audit(args)) => audit::run(args)?,
        Some(Command::Capacity(args)) => capacity::run(args)?,
        Some(Command::Diff(args)) => return diff::run(args),
        Some(Command::Schema { of }) => schema::run(*of)?,
        None if args.options.lists_features() => features::list()?,
        None => plan(args)?,
    }
    Ok(ExitStatus::Done)
}

fn plan(args: &Args) -> Result<(), Failure> {
    let request = request::request(&args.asked())?;
    if args.print_request {
        return output::print(request.to_json().as_bytes());
    }
    output::plan(&request::plan(&request)?, &args.output)
}
