//! What the documentation tells people to type works: every `sh` block of a page runs, in order, in an empty folder.

use btrfs_plan_tests::programs::script;
use btrfs_plan_tests::suite::{self, Outcome, case, ensure};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Pages with commands that need neither devices nor other machines.
const PAGES: [&str; 5] =
    ["tutorial.md", "how-to/pipeline.md", "how-to/remote.md", "how-to/fleet.md", "how-to/images.md"];

fn main() -> ExitCode {
    let pages = PAGES.into_iter().map(|page| case(page, move || follow(page)));
    let links = case("every link between pages leads somewhere", links);
    suite::run(PAGES.len() + 1, pages.chain([links]).collect())
}

fn documents() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs"))
}

/// Does what a page says.
fn follow(page: &str) -> Outcome {
    let text = fs::read_to_string(documents().join(page))?;
    let commands = blocks(&text, "sh");
    ensure(!commands.is_empty(), || format!("{page} has nothing to run"))?;

    script(&format!("set -x\n{commands}"))
}

/// The contents of all fenced blocks in this language.
fn blocks(text: &str, language: &str) -> String {
    let mut found = String::new();
    let mut inside = None;
    for line in text.lines() {
        match (inside, line.trim_start().strip_prefix("```")) {
            (None, Some(language)) => inside = Some(language),
            (Some(_), Some(_)) => inside = None,
            (Some(this), None) if this == language => {
                found.push_str(line);
                found.push('\n');
            }
            _ => {}
        }
    }
    found
}

fn links() -> Outcome {
    let mut pages = vec![documents().join("../README.md"), documents().join("../CONTRIBUTING.md")];
    for folder in [documents().to_path_buf(), documents().join("how-to")] {
        for entry in fs::read_dir(folder)? {
            pages.push(entry?.path());
        }
    }
    for page in pages.iter().filter(|page| page.extension().is_some_and(|extension| extension == "md")) {
        let text = fs::read_to_string(page)?;
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://") && !target.starts_with('#')) {
            let file = target.split('#').next().unwrap_or_default();
            let there = page.parent().is_some_and(|folder| folder.join(file).exists());
            ensure(there, || format!("{} links to {target}, which is not there", page.display()))?;
        }
    }
    Ok(())
}
