//! Cases that run in a guest with zoned devices: all in one, since starting it takes longer than most of them.

use crate::kernel::no_complaint;
use crate::kernel_log::Line;
use crate::programs::ours;
use crate::suite::{Outcome, fail};
use libtest_mimic::{Completion, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder with what the guest is made of.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("zoned-guest")
}

/// The command that starts a guest with our programs in it; options and a command are to be added.
pub fn guest() -> Outcome<Command> {
    let mut command = Command::new(folder().join("zoned-guest"));
    for program in ["btrfs-plan", "btrfs-exec"] {
        command.arg("--bin").arg(ours(program)?.get_program());
    }
    command.stdin(Stdio::null());
    Ok(command)
}

/// A case that any user can run who has QEMU.
pub fn guest_case(name: &str, run: impl FnOnce() -> Outcome + Send + 'static) -> Trial {
    Trial::ignorable_test(name, || {
        let qemu = Command::new("qemu-system-x86_64").arg("--version").stdout(Stdio::null()).status();
        if qemu.is_err() {
            return Ok(Completion::ignored_with("needs QEMU, which `make setup` installs"));
        }
        run().map(|()| Completion::Completed)
    })
}

/// What a case printed in the guest, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    ok: Option<bool>,
    lines: Vec<String>,
}

impl Ended {
    /// Fails if the case did, or if the guest's kernel complained during it.
    pub fn judge(&self) -> Outcome {
        let kernel: Vec<Line> = self.lines.iter().filter_map(|line| kernel_line(line)).collect();
        match self.ok {
            Some(true) => no_complaint(&kernel),
            Some(false) => fail(self.lines.join("\n")),
            None => fail(format!("the guest ended before the case did:\n{}", self.lines.join("\n"))),
        }
    }
}

/// What `zoned-guest` exits with where the guest died.
const DIED: i32 = 125;

/// Runs each line of `table` as a case, in a guest with these options. If it dies, another one goes on with the case that
/// was under way: emulation sometimes breaks a kernel that is in order. A case that two guests died of has failed.
pub fn run_cases(options: &[&str], table: &[&str]) -> Outcome<Vec<Ended>> {
    let mut ended: Vec<Ended> = Vec::new();
    let mut died_of = None;
    loop {
        let done = ended.len();
        let (status, more) = run_guest(options, &table[done..])?;
        let under_way = more.iter().position(|case| case.ok.is_none()).map(|place| done + place);
        ended.extend(more);
        match under_way {
            Some(case) if status == Some(DIED) && died_of != under_way => {
                eprintln!(
                    "a guest died; another one goes on from here: {}\n{}",
                    table[case],
                    ended[case].lines.join("\n")
                );
                died_of = under_way;
                ended.truncate(case);
            }
            _ => return Ok(ended),
        }
    }
}

/// One guest's exit code, and how far it came.
fn run_guest(options: &[&str], table: &[&str]) -> Outcome<(Option<i32>, Vec<Ended>)> {
    let scratch = tempfile::tempdir()?;
    let file = scratch.path().join("table");
    std::fs::write(&file, table.iter().map(|line| format!("{line}\n")).collect::<String>())?;
    let mut command = guest()?;
    command.args(options).arg("--add").arg(format!("{}:/zoned/table", file.display()));
    for name in ["run-cases", "functions.sh"] {
        command.arg("--add").arg(format!("{}:/zoned/{name}", folder().join(name).display()));
    }
    let output = command.arg("--").arg("/zoned/run-cases").output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let mut ended = cases(&String::from_utf8_lossy(&output.stdout), table.len())?;
    // The case that was under way is told why it got no further.
    if let Some(case) = ended.iter_mut().find(|case| case.ok.is_none()) {
        case.lines.extend(stderr.lines().map(str::to_owned));
    }
    Ok((output.status.code(), ended))
}

/// `begin NUMBER`, what the case printed, and `end NUMBER ok` or `end NUMBER failed`.
fn cases(printed: &str, count: usize) -> Outcome<Vec<Ended>> {
    let mut cases = vec![Ended { ok: None, lines: Vec::new() }; count];
    let mut under_way: Option<usize> = None;
    for line in printed.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match (&words[..], under_way) {
            (["begin", number], None) => under_way = Some(number.parse()?),
            (["end", number, how], Some(case)) if number.parse() == Ok(case) => {
                cases.get_mut(case).ok_or("the guest counted too far")?.ok = Some(*how == "ok");
                under_way = None;
            }
            (_, Some(case)) => cases.get_mut(case).ok_or("the guest counted too far")?.lines.push(line.to_owned()),
            (_, None) => return fail(format!("the guest printed between cases: {line}")),
        }
    }
    Ok(cases)
}

/// `kernel: <LEVEL>[TIME] TEXT`.
fn kernel_line(line: &str) -> Option<Line> {
    let (level, rest) = line.strip_prefix("kernel: <")?.split_once('>')?;
    let level: u32 = level.parse().ok()?;
    let text = rest.split_once("] ").map_or(rest, |(_, text)| text).to_owned();
    Some(Line { level: (level & 7) as u8, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_told_apart() {
        let printed =
            "begin 0\nsaid\nend 0 ok\nbegin 1\nkernel: <4>[   32.2] BTRFS warning: odd\nend 1 ok\nbegin 2\nx\n";
        let ended = cases(printed, 4).unwrap();
        assert!(ended[0].judge().is_ok());
        assert!(ended[1].judge().unwrap_err().message().unwrap().contains("BTRFS warning: odd"));
        assert_eq!(ended[2], Ended { ok: None, lines: vec!["x".to_owned()] });
        assert!(ended[3].judge().is_err());
        assert!(cases("end 0 ok\n", 1).is_err());
        assert_eq!(kernel_line("kernel: <14>[ 1.5] a ] b"), Some(Line { level: 6, text: "a ] b".to_owned() }));
    }
}
