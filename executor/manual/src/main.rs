//! Writes manual pages and shell completions, from what the command lines of the programs say.
//!
//! `btrfs-plan-manual DIRECTORY [MKFS]` makes `man8/`, `bash/`, `zsh/` and `fish/` in it. MKFS is what `mkfs.btrfs` is called
//! where both that of btrfs-progs and this one are installed.

mod pages;

use btrfs_executor::cli::{MKFS_BTRFS, Program};
use clap_complete::Shell;
use std::fs::create_dir_all;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Shells whose completions are written, and the folder of each.
const SHELLS: [(Shell, &str); 3] = [(Shell::Bash, "bash"), (Shell::Zsh, "zsh"), (Shell::Fish, "fish")];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (directory, mkfs) = match &arguments[..] {
        [directory] => (directory, MKFS_BTRFS.name),
        [directory, mkfs] => (directory, mkfs.as_str()),
        _ => {
            eprintln!("usage: btrfs-plan-manual DIRECTORY [MKFS]");
            return ExitCode::from(2);
        }
    };
    match write(Path::new(directory), mkfs) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: cannot write below '{directory}': {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(directory: &Path, mkfs: &str) -> io::Result<()> {
    let named =
        |program: &Program| if program.name == MKFS_BTRFS.name { mkfs.to_owned() } else { program.name.to_owned() };
    let commands = Program::ALL.map(|program| (program, program.command().name(named(&program))));

    let pages = directory.join("man8");
    create_dir_all(&pages)?;
    for (program, command) in &commands {
        let others = Program::ALL.iter().filter(|other| other.name != program.name).map(named).collect();
        for page in pages::pages(program, command.clone(), others)? {
            std::fs::write(pages.join(&page.file), page.text)?;
        }
    }
    for (shell, folder) in SHELLS {
        let folder = directory.join(folder);
        create_dir_all(&folder)?;
        for (_, command) in &commands {
            clap_complete::generate_to(shell, &mut command.clone(), command.get_name(), &folder)?;
        }
    }
    Ok(())
}
