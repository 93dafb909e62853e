//! Reading plans: `show` and `schema`.

use crate::args::Document;
use crate::output::print;
use btrfs_executor::console;
use btrfs_executor::document::{self, Place};
use btrfs_executor::exit::Failure;
use btrfs_planner::plan::{plan_schema, request_schema};
use btrfs_planner::view;
use std::path::Path;

pub(crate) fn show(path: &Path, json: bool) -> Result<(), Failure> {
    let plan = document::read_plan(&Place::from(path))?;
    if json {
        return print(plan.to_json().as_bytes());
    }
    let mut text = console::escaped_lines(&view::summary(&plan)).trim_end().to_string();
    text.push('\n');
    print(text.as_bytes())
}

pub(crate) fn schema(of: Document) -> Result<(), Failure> {
    let mut text = match of {
        Document::Plan => plan_schema(),
        Document::Request => request_schema(),
    };
    text.push('\n');
    print(text.as_bytes())
}
