//! A folder with image files, and the program in it.

use btrfs_plan_tests::loops::{scratch, sparse_file};
use btrfs_plan_tests::programs::{Ran, ours, run};
use btrfs_plan_tests::sparse::{files, fill};
use btrfs_plan_tests::suite::{Outcome, ensure};
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

pub(crate) const MIB: u64 = 1 << 20;
pub(crate) const GIB: u64 = 1 << 30;

/// Image files in a folder of their own; `disk` and the others of 256 MiB, with something in them that is no filesystem.
pub(crate) struct Scene {
    pub(crate) folder: TempDir,
}

impl Scene {
    /// Four images.
    pub(crate) fn new() -> Outcome<Self> {
        let scene = Self { folder: scratch()? };
        for name in ["disk", "other", "third", "fourth"] {
            sparse_file(&scene.path(name), 256 * MIB)?;
            fill(&scene.path(name), 70 * MIB, MIB)?;
        }
        Ok(scene)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with arguments that are apart by spaces, in the folder.
    pub(crate) fn mkfs(&self, line: &str) -> Outcome<Command> {
        let mut command = ours("mkfs-btrfs")?;
        command.args(line.split_whitespace()).current_dir(self.folder.path());
        Ok(command)
    }

    /// Runs it; it has to succeed.
    pub(crate) fn makes(&self, line: &str) -> Outcome<Ran> {
        run(&mut self.mkfs(line)?)?.success()
    }

    /// Runs a command that has to be refused with exit status 1, and holds all files here against what they were.
    pub(crate) fn refuses(&self, command: &mut Command, says: &[&str]) -> Outcome {
        let before = files(self.folder.path())?;
        let ran = run(command)?;
        ensure(ran.code == Some(1), || format!("exit code {:?} instead of 1: {}", ran.code, ran.stderr))?;
        ensure(ran.stderr.contains("error: "), || format!("no 'error: ' in: {}", ran.stderr))?;
        for words in says {
            ensure(ran.stderr.contains(words), || format!("'{words}' is not in: {}", ran.stderr))?;
        }
        ensure(files(self.folder.path())? == before, || "it was refused, but a file changed".to_owned())
    }
}
