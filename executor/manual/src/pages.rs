//! Manual pages: one for each program, one for each of its commands.

use btrfs_executor::cli::Program;
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io;

/// Commands for administrators.
const SECTION: &str = "8";

/// A manual page.
#[derive(Debug)]
pub(crate) struct Page {
    /// The name of its file.
    pub(crate) file: String,
    /// What stands in it.
    pub(crate) text: Vec<u8>,
}

/// What the pages of a program have in common.
#[derive(Debug)]
struct Manual<'a> {
    program: &'a Program,
    /// The names of the others.
    others: Vec<String>,
}

/// The pages of a program, under the name that its command has.
pub(crate) fn pages(program: &Program, command: Command, others: Vec<String>) -> io::Result<Vec<Page>> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    Manual { program, others }.collect(&command, &mut pages)?;
    Ok(pages)
}

impl Manual<'_> {
    fn collect(&self, command: &Command, pages: &mut Vec<Page>) -> io::Result<()> {
        let name = command.get_display_name().unwrap_or(command.get_name());
        pages.push(Page { file: format!("{name}.{SECTION}"), text: self.page(command, name)? });
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            self.collect(sub, pages)?;
        }
        Ok(())
    }

    fn page(&self, command: &Command, name: &str) -> io::Result<Vec<u8>> {
        let man = Man::new(command.clone())
            .title(name)
            .section(SECTION)
            .source(format!("btrfs-plan {}", env!("CARGO_PKG_VERSION")))
            .manual("btrfs-plan");
        let mut text = Vec::new();
        man.render_title(&mut text)?;
        man.render_name_section(&mut text)?;
        man.render_synopsis_section(&mut text)?;
        man.render_description_section(&mut text)?;
        man.render_options_section(&mut text)?;
        if command.has_subcommands() {
            man.render_subcommands_section(&mut text)?;
        }
        self.closing().to_writer(&mut text)?;
        Ok(text)
    }

    /// What no command line says: how it ends, what it heeds, and where there is more.
    fn closing(&self) -> Roff {
        let mut roff = Roff::default();
        roff.control("SH", ["EXIT STATUS"]);
        for (code, meaning) in self.program.exit_codes {
            roff.control("TP", []).text([bold(code.to_string())]).text([roman(*meaning)]);
        }
        roff.control("SH", ["ENVIRONMENT"]);
        for (variable, meaning) in self.program.environment {
            roff.control("TP", []).text([bold(*variable)]).text([roman(*meaning)]);
        }
        roff.control("SH", ["SEE ALSO"]);
        let others = self.others.iter().map(String::as_str);
        let mut names: Vec<_> =
            others.chain(["btrfs"]).map(|name| [bold(name), roman(format!("({SECTION})"))]).collect();
        let last = names.pop();
        for [name, section] in names {
            roff.text([name, section, roman(",")]);
        }
        roff.text(last.into_iter().flatten().collect::<Vec<_>>());
        roff
    }
}
