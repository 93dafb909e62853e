//! The system calls of a run, as strace saw them.

use crate::programs::{ours, run};
use crate::suite::{Outcome, fail};
use std::ffi::OsStr;
use std::process::Command;

/// A system call that has returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// The rest of the line: arguments with the paths of descriptors, and the result.
    pub line: String,
}

impl Call {
    /// Whether it is about this path, by name or by descriptor.
    #[must_use]
    pub fn concerns(&self, path: &str) -> bool {
        self.line.contains(&format!("<{path}>")) || self.line.contains(&format!("\"{path}\""))
    }

    /// Whether it is one of the calls that write file contents.
    #[must_use]
    pub fn is_write(&self) -> bool {
        ["write", "pwrite64", "writev", "pwritev", "pwritev2", "fallocate"].contains(&self.name.as_str())
    }

    /// Whether it makes written contents last.
    #[must_use]
    pub fn is_flush(&self) -> bool {
        ["fsync", "fdatasync"].contains(&self.name.as_str())
    }

    /// The offset of a positioned write: its last argument.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.line.rsplit_once(") ")?.0.rsplit_once(", ")?.1.parse().ok()
    }
}

/// Runs one of our programs under strace; it has to succeed. Gives the calls that name files, write, flush or lock, in the
/// order of their return.
pub fn trace(program: &str, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Outcome<Vec<Call>> {
    let log = tempfile::NamedTempFile::new()?;
    let mut strace = Command::new("strace");
    let traced = "trace=openat,open,creat,flock,write,writev,pwrite64,pwritev,pwritev2,fallocate,fsync,fdatasync";
    strace.args(["--follow-forks", "--decode-fds=path", "--string-limit=0", "--seccomp-bpf", "-e", traced, "-o"]);
    strace.arg(log.path()).arg(ours(program)?.get_program()).args(arguments).stdin(std::process::Stdio::null());
    run(&mut strace)?.success()?;
    parse(&std::fs::read_to_string(log.path())?)
}

/// `123 name(arguments) = result`, where a call that another thread interrupted stands in two lines.
fn parse(log: &str) -> Outcome<Vec<Call>> {
    let mut begun: Vec<(&str, &str)> = Vec::new();
    let mut calls = Vec::new();
    for line in log.lines() {
        let Some((thread, call)) = line.split_once(' ') else { return fail(format!("strace printed: {line}")) };
        let call = call.trim_start();
        let whole = if let Some(start) = call.strip_suffix("<unfinished ...>") {
            begun.push((thread, start.trim_end()));
            continue;
        } else if let Some((_, end)) = call.split_once(" resumed>") {
            let Some(place) = begun.iter().position(|(other, _)| *other == thread) else {
                return fail(format!("strace resumed what had not begun: {line}"));
            };
            format!("{}{end}", begun.remove(place).1)
        } else {
            call.to_owned()
        };
        // Signals and exits have no parenthesis of a call.
        if let Some((name, rest)) = whole.split_once('(')
            && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
        {
            calls.push(Call { name: name.to_owned(), line: rest.to_owned() });
        }
    }
    Ok(calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupted_calls_are_put_together() {
        let log = "7 pwritev(5</dev/loop3>, [{iov_base=\"\"..., iov_len=4096}], 1, 67108864) = 4096\n\
                   8 fdatasync(6</dev/loop4> <unfinished ...>\n\
                   7 flock(3</dev/loop3>, LOCK_EX|LOCK_NB) = 0\n\
                   8 <... fdatasync resumed>)          = 0\n\
                   8 pwritev(6</dev/loop4>, [...], 1, 65536 <unfinished ...>\n\
                   8 <... pwritev resumed>)            = 4096\n\
                   8 +++ exited with 0 +++\n";
        let calls = parse(log).unwrap();
        let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["pwritev", "flock", "fdatasync", "pwritev"]);
        assert!(calls[0].is_write() && calls[0].offset() == Some(67_108_864) && calls[0].concerns("/dev/loop3"));
        assert!(calls[2].is_flush() && calls[2].concerns("/dev/loop4"));
        assert_eq!(calls[3].offset(), Some(65536));
    }
}
