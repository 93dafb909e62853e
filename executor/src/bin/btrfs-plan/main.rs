//! Plans a new btrfs filesystem, and writes nothing but the plan.

mod args;
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
        Ok(()) => ExitStatus::Done.into(),
        Err(failure) => {
            console::failure(&failure);
            failure.status.into()
        }
    }
}

fn run(args: &Args) -> Result<(), Failure> {
    match &args.command {
        Some(Command::Show(args)) => show::run(args),
        Some(Command::Schema { of }) => schema::run(*of),
        None if args.options.lists_features() => features::list(),
        None => {
            let request = request::request(args)?;
            if args.print_request {
                return output::print(request.to_json().as_bytes());
            }
            let plan = btrfs_planner::plan(&request).map_err(|error| {
                let hint = error.hint();
                Failure::refused(error).with_hint(hint)
            })?;
            output::plan(&plan, &args.output)
        }
    }
}
