//! The auditor shares on-disk structures and plan types with the planner, and nothing else: otherwise a mistake of the
//! planner would be made again by its audit, and agree with itself.

// A test may fail by panicking.
#![allow(clippy::unwrap_used)]

use std::path::Path;

/// What the auditor may name of the crate.
const ALLOWED: [&str; 4] = ["crate::audit", "crate::disk", "crate::plan", "crate::units"];

#[test]
fn the_auditor_reaches_only_disk_structures_and_plan_types() {
    let mut files = 0;
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/audit")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let source = std::fs::read_to_string(&path).unwrap();
            // A unit test makes plans to damage.
            let code = source.split("#[cfg(test)]").next().unwrap();
            for (number, line) in (1..).zip(code.lines()) {
                let reached = line.match_indices("crate::").map(|(at, _)| &line[at..]);
                for path_in_crate in reached {
                    let allowed = ALLOWED.iter().any(|prefix| path_in_crate.starts_with(prefix));
                    assert!(allowed, "{}:{number} reaches {path_in_crate}", path.display());
                }
                assert!(!line.contains("super::super::"), "{}:{number} leaves the auditor", path.display());
            }
        }
    }
    assert!(files > 5, "only {files} files were looked at");
}
