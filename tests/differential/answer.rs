//! What became of a question: a filesystem, read back from its disks, or a refusal.

use crate::detail::details;
use crate::question::Question;
use crate::reason::Version;
use btrfs_plan_tests::contents::Contents;
use btrfs_plan_tests::golden;
use btrfs_plan_tests::loops::LoopDevice;
use btrfs_plan_tests::programs::{command, ours, run};
use btrfs_plan_tests::suite::Outcome;
use serde_json::{Map, Value};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a program made of a question.
pub(crate) enum Answer {
    /// A filesystem, in the form of the golden layouts.
    Made(Box<Map<String, Value>>),
    /// Nothing, and why.
    Refused(String),
    /// A signal ended it.
    Crashed,
}

/// The program that is asked beside ours: `MKFS_BTRFS`, or the installed one.
pub(crate) fn reference() -> Command {
    command(&std::env::var("MKFS_BTRFS").unwrap_or_else(|_| "mkfs.btrfs".to_owned()))
}

impl Answer {
    /// What the installed mkfs.btrfs says.
    pub(crate) fn of_reference(question: &Question, folder: &Path) -> Outcome<Self> {
        Self::of(reference(), question, folder, &[])
    }

    /// What ours says, with the defaults of the installed version.
    pub(crate) fn of_ours(question: &Question, folder: &Path, version: Version) -> Outcome<Self> {
        Self::of(ours("mkfs-btrfs")?, question, folder, version.defaults())
    }

    fn of(mut program: Command, question: &Question, folder: &Path, defaults: &[&str]) -> Outcome<Self> {
        let disks: Vec<PathBuf> =
            (1..=question.sizes.len()).map(|number| folder.join(format!("disk{number}"))).collect();
        for (disk, size) in disks.iter().zip(&question.sizes) {
            // Empty first: nothing is left of the filesystem before.
            File::create(disk)?.set_len(*size)?;
        }
        let devices = attach(question, &disks)?;
        let targets: Vec<&Path> = match question.sector {
            Some(_) => devices.iter().map(LoopDevice::path).collect(),
            None => disks.iter().map(PathBuf::as_path).collect(),
        };
        program.args(["-q", "-f"]).args(defaults);
        if question.behind {
            program.args(&targets).args(&question.options);
        } else {
            program.args(&question.options).args(&targets);
        }
        let ran = run(&mut program)?;
        drop(devices);
        let answer = match ran.code {
            Some(0) => Ok(Self::Made(Box::new(read(&disks)?))),
            Some(1) => Ok(Self::Refused(ran.stderr.trim_end().replace('\n', "; "))),
            None => Ok(Self::Crashed),
            Some(_) => ran.success().map(|_| Self::Crashed),
        };
        for disk in &disks {
            std::fs::remove_file(disk)?;
        }
        answer
    }
}

/// Loop devices on the files, where the question is about block devices.
fn attach(question: &Question, disks: &[PathBuf]) -> Outcome<Vec<LoopDevice>> {
    let Some(sector) = question.sector else { return Ok(Vec::new()) };
    let sector = sector.to_string();
    disks.iter().map(|disk| LoopDevice::attach(disk, &["--sector-size", &sector])).collect()
}

fn read(disks: &[PathBuf]) -> Outcome<Map<String, Value>> {
    let contents = Contents::on(disks)?;
    let mut layout = golden::layout_of(&contents)?;
    layout.insert("details".to_owned(), details(&contents).into());
    Ok(layout)
}
