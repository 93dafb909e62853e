//! Nobody loses data without having said so.

use crate::console;
use crate::exit::{ExitStatus, Failure};
use btrfs_planner::{Plan, view};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};

/// How many digits of the seal are asked for: enough to be this plan's and no other's.
const DIGITS: usize = 6;

/// Shows the plan at the terminal and asks; without a terminal, `--yes` is needed.
pub(crate) fn ask(plan: &Plan) -> Result<(), Failure> {
    let refused = |status, message: &str, hint: &str| {
        Err(Failure { status, message: message.to_string(), hint: Some(hint.to_string()) })
    };
    // Not standard input, which may be the plan.
    let Ok(mut terminal) = File::options().read(true).write(true).open("/dev/tty") else {
        return refused(
            ExitStatus::Usage,
            "there is no terminal to ask at",
            "look at the plan with btrfs-plan show, then run it with --yes, and with --expect SEAL to be sure that it is the one",
        );
    };
    let seal = plan.seal.to_string();
    let digits = seal.get(..DIGITS).unwrap_or(&seal);
    let summary = console::escaped_lines(&view::summary(plan)).trim_end().to_string();
    let question = format!("{summary}\n\nTo run this plan, type the first {DIGITS} digits of its seal ({digits}): ");
    let mut answer = String::new();
    let asked = terminal.write_all(question.as_bytes()).and_then(|()| BufReader::new(terminal).read_line(&mut answer));
    match asked {
        Ok(_) if answer.trim() == digits => Ok(()),
        _ => refused(ExitStatus::Refused, "the plan was not agreed to", "nothing was written"),
    }
}
