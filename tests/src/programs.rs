//! Running programs: ours, and the tools that judge what they made.

use crate::suite::{Outcome, fail};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// What a program left behind.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The command line, for messages.
    pub command: String,
    /// Its exit code; `None` where a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: String,
}

impl Ran {
    /// Fails unless the program succeeded, with what it said.
    pub fn success(self) -> Outcome<Self> {
        if self.code == Some(0) {
            return Ok(self);
        }
        let stdout = String::from_utf8_lossy(&self.stdout);
        fail(format!("{} ended with {:?}\n{stdout}{}", self.command, self.code, self.stderr))
    }

    /// The standard output as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// Runs a command to its end, without standard input unless it was given one.
pub fn run(command: &mut Command) -> Outcome<Ran> {
    let printed = format!("{command:?}");
    match command.output() {
        Ok(output) => Ok(ran(printed, output)),
        Err(error) => fail(format!("{printed} cannot be run: {error}")),
    }
}

/// A tool, without standard input. Some make image files for anybody, but stand where only root looks.
pub fn command(program: &str) -> Command {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(program);
    command.env("PATH", format!("{path}:/usr/local/sbin:/usr/sbin:/sbin")).stdin(Stdio::null());
    command
}

/// Runs a tool that has to succeed.
pub fn tool(program: &str, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Outcome<Ran> {
    run(command(program).args(arguments))?.success()
}

/// One of our own programs. It stands where the tests stand: `cargo build --workspace` puts it there.
pub fn ours(name: &str) -> Outcome<Command> {
    let test = std::env::current_exe()?;
    let program: Option<PathBuf> = test.parent().and_then(|deps| deps.parent()).map(|folder| folder.join(name));
    match program.filter(|program| program.is_file()) {
        Some(program) => {
            let mut command = Command::new(program);
            command.stdin(Stdio::null());
            Ok(command)
        }
        None => fail(format!("{name} is not built; `cargo build --workspace` builds it")),
    }
}

/// Runs a script in bash, in an empty folder, with our programs in its path under the names that they are installed by. It
/// has to succeed.
pub fn script(text: &str) -> Outcome {
    let folder = tempfile::tempdir()?;
    let [programs, work] = ["programs", "work"].map(|name| folder.path().join(name));
    std::fs::create_dir(&programs)?;
    std::fs::create_dir(&work)?;
    for (name, installed) in [("btrfs-plan", "btrfs-plan"), ("btrfs-exec", "btrfs-exec"), ("mkfs-btrfs", "mkfs.btrfs")]
    {
        std::os::unix::fs::symlink(ours(name)?.get_program(), programs.join(installed))?;
    }
    let mut shell = command("bash");
    let path = shell.get_envs().find_map(|(name, value)| (name == "PATH").then_some(value?)).unwrap_or_default();
    let path = format!("{}:{}", programs.display(), path.display());
    run(shell.args(["-euo", "pipefail", "-c", text]).env("PATH", path).current_dir(work))?.success().map(drop)
}

/// `btrfs-plan` with these arguments.
pub fn btrfs_plan(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Outcome<Ran> {
    run(ours("btrfs-plan")?.args(arguments))
}

/// `btrfs-exec` with these arguments.
pub fn btrfs_exec(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Outcome<Ran> {
    run(ours("btrfs-exec")?.args(arguments))
}

/// `btrfs-plan ... | btrfs-exec --yes`, both of which have to succeed.
pub fn plan_and_execute(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Outcome {
    let mut planner = ours("btrfs-plan")?;
    planner.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    let printed = format!("{planner:?}");
    let mut planner = planner.spawn()?;
    let Some(plan) = planner.stdout.take() else { return fail("btrfs-plan has no standard output") };
    let executor = run(ours("btrfs-exec")?.arg("--yes").stdin(plan))?;
    ran(printed, planner.wait_with_output()?).success()?;
    executor.success()?;
    Ok(())
}

fn ran(command: String, output: Output) -> Ran {
    Ran {
        command,
        code: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
