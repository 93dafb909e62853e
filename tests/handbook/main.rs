//! What the documentation tells people to type works: every `sh` block of a page runs, in order, in an empty folder, and the
//! playbooks run on hosts that are this one.

mod fleet;

use btrfs_plan_tests::programs::script;
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, root_case};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Pages with commands that need neither devices nor other machines.
const PAGES: [&str; 5] =
    ["tutorial.md", "how-to/pipeline.md", "how-to/remote.md", "how-to/fleet.md", "how-to/images.md"];

fn main() -> ExitCode {
    let pages = PAGES.into_iter().map(|page| case(page, move || follow(page)));
    let links = case("every link between pages leads somewhere", links);
    let fleet = root_case("the playbooks of how-to/fleet.md", fleet::playbooks);
    suite::run(PAGES.len() + 2, pages.chain([links, fleet]).collect())
}

fn documents() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs"))
}

/// Does what a page says.
fn follow(page: &str) -> Outcome {
    let commands = blocks(page, "sh")?.concat();
    script(&format!("set -x\n{commands}"))
}

/// The fenced blocks of a page in this language. There have to be some.
fn blocks(page: &str, language: &str) -> Outcome<Vec<String>> {
    let text = fs::read_to_string(documents().join(page))?;
    let mut found = Vec::new();
    let mut inside = None;
    for line in text.lines() {
        match (inside, line.trim_start().strip_prefix("```")) {
            (None, Some(this)) => {
                inside = Some(this);
                if this == language {
                    found.push(String::new());
                }
            }
            (Some(_), Some(_)) => inside = None,
            (Some(this), None) if this == language => found.iter_mut().last().into_iter().for_each(|block| {
                block.push_str(line);
                block.push('\n');
            }),
            _ => {}
        }
    }
    ensure(!found.is_empty(), || format!("{page} has nothing in {language}"))?;
    Ok(found)
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
