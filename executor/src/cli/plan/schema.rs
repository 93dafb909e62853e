//! `btrfs-plan schema`: the JSON Schemas of documents.

use super::args::Document;
use crate::cli::print::print;
use crate::exit::Failure;
use btrfs_planner::plan::{plan_schema, request_schema};

pub(crate) fn run(of: Document) -> Result<(), Failure> {
    let mut text = match of {
        Document::Plan => plan_schema(),
        Document::Request => request_schema(),
    };
    text.push('\n');
    print(text.as_bytes())
}
