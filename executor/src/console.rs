//! What people see: messages on standard error, results on standard output, and no control character in either.

use crate::exit::Failure;
use crate::streams::Stream;
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

/// A text from a plan, a device or a path, fit for a terminal: control characters are escaped.
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// The same for a text of several lines, in columns.
#[must_use]
pub fn escaped_lines(text: &str) -> Cow<'_, str> {
    escape(text, |character| matches!(character, '\n' | '\t'))
}

fn escape(text: &str, kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Marks that turn the direction of writing can make a path look like another one.
    let turns =
        |character| matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let bad = |character: char| (character.is_control() || turns(character)) && !kept(character);
    if !text.contains(bad) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if bad(character) { safe.extend(character.escape_default()) } else { safe.push(character) }
    }
    Cow::Owned(safe)
}

/// Whether standard error takes colour.
#[must_use]
pub fn coloured() -> bool {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !unwanted && std::env::var_os("TERM").is_none_or(|term| term != "dumb") && io::stderr().is_terminal()
}

fn label(name: &str, colour: &str) -> String {
    if coloured() { format!("\u{1b}[1;{colour}m{name}\u{1b}[0m") } else { name.to_string() }
}

/// Tells why the program ends.
pub fn failure(failure: &Failure) {
    tell(&format!("{} {}", label("error:", "31"), escaped_lines(&failure.message)));
    if let Some(text) = &failure.hint {
        hint(text);
    }
}

/// Tells what might help.
pub fn hint(text: &str) {
    tell(&format!("{} {}", label("hint:", "36"), escaped_lines(text)));
}

/// Tells what should be known.
pub fn warning(text: &str) {
    tell(&format!("{} {}", label("warning:", "33"), escaped(text)));
}

/// Writes some lines to standard error. If nobody listens there, nobody needs to know.
pub fn tell(text: &str) {
    let _ = write(&mut io::stderr().lock(), &[text.as_bytes(), b"\n"]);
}

/// Writes a result to standard error, where that is the place of it.
pub fn tell_result(text: &str) -> io::Result<()> {
    Stream::Error.check_open()?;
    unless_gone(write(&mut io::stderr().lock(), &[text.as_bytes(), b"\n"]))
}

/// Writes a result to standard output. A reader that has seen enough and gone is no error.
pub fn print(bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    output_is_open()?;
    unless_gone(write(&mut io::stdout().lock(), &[bytes]))
}

/// An error if the program was started without standard output.
pub fn output_is_open() -> io::Result<()> {
    Stream::Output.check_open()
}

/// The same result, but for a reader that has gone.
pub fn unless_gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

fn write(stream: &mut dyn Write, parts: &[&[u8]]) -> io::Result<()> {
    parts.iter().try_for_each(|part| stream.write_all(part)).and_then(|()| stream.flush())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_safe_from_names() {
        assert_eq!(escaped("/dev/loop0 ünï"), "/dev/loop0 ünï");
        assert_eq!(escaped("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\nc");
        assert_eq!(escaped("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(escaped_lines("a\tb\nc"), "a\tb\nc");
    }
}
