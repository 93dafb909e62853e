//! What the terminal can show, and where results go.

use crate::cli::print::print;
use crate::document::{self, Place};
use crate::exit::Failure;
use btrfs_planner::view::text::Style;
use clap::ValueEnum;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// At a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// In any case
    Always,
    /// Never
    Never,
}

/// How text looks, and where it goes.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Look {
    /// Only ASCII characters; so too where the locale is not UTF-8
    #[arg(long)]
    ascii: bool,

    /// When to use colours
    #[arg(long, visible_alias = "colour", value_name = "WHEN", default_value = "auto")]
    color: Colour,

    /// Columns of text; those of the terminal unless given, or 80
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(40..))]
    width: Option<u16>,

    /// Write to FILE instead of standard output ("-": standard output); never to a device
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Look {
    /// The style for where the text goes.
    pub(crate) fn style(&self) -> Style {
        let terminal = self.place() == Place::Standard && io::stdout().is_terminal();
        let colour = match self.color {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => terminal && !set("NO_COLOR") && variable("TERM").is_none_or(|term| term != "dumb"),
        };
        Style { colour, unicode: !self.ascii && utf8(), width: self.columns(terminal) }
    }

    fn columns(&self, terminal: bool) -> usize {
        let size = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0);
        let width = self.width.or_else(|| size().filter(|_| terminal)).unwrap_or(80);
        usize::from(width.max(40))
    }

    fn place(&self) -> Place {
        self.output.as_deref().map_or(Place::Standard, Place::from)
    }

    /// Puts a result where it is wanted.
    pub(crate) fn put(&self, text: &str) -> Result<(), Failure> {
        match self.place() {
            Place::Standard => print(text.as_bytes()),
            Place::File(path) => Ok(document::write_file(&path, text.as_bytes())?),
        }
    }

    /// Puts a result as a document.
    pub(crate) fn put_json(&self, view: &impl serde::Serialize) -> Result<(), Failure> {
        // String keys and no fallible parts: serialization into memory cannot fail.
        let mut text = serde_json::to_string_pretty(view).unwrap_or_default();
        text.push('\n');
        self.put(&text)
    }
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn set(name: &str) -> bool {
    variable(name).is_some()
}

/// Whether the locale is one of UTF-8: the first of these that is set decides.
fn utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
    locale.is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}
