//! How a program ends: the exit codes, and a failure with its remedy.

use std::error::Error;
use std::process::ExitCode;

/// The exit codes of every program here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// Everything was done.
    Done,
    /// It failed after writing began; or what was compared differs.
    Failed,
    /// The command line makes no sense.
    Usage,
    /// It was refused; nothing was written.
    Refused,
    /// A signal stopped it.
    Interrupted,
}

impl ExitStatus {
    /// The number that the shell sees.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::Interrupted => 4,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.code())
    }
}

/// Why a program ends early: what is wrong, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub status: ExitStatus,
    /// What is wrong, in a sentence without a period.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Failure {
    /// The command line makes no sense.
    pub fn usage(error: impl Error) -> Self {
        Self::new(ExitStatus::Usage, &error)
    }

    /// Nothing was written, and nothing will be.
    pub fn refused(error: impl Error) -> Self {
        Self::new(ExitStatus::Refused, &error)
    }

    /// The same, for errors that know a remedy, which `hint` asks them for.
    pub fn refused_with<E: Error, H: Into<String>>(hint: impl FnOnce(&E) -> Option<H>) -> impl FnOnce(E) -> Self {
        |error| {
            let hint = hint(&error);
            Self::refused(error).with_hint(hint)
        }
    }

    /// It went wrong on the way.
    pub fn failed(error: impl Error) -> Self {
        Self::new(ExitStatus::Failed, &error)
    }

    /// The same, with a remedy.
    #[must_use]
    pub fn with_hint(self, hint: Option<impl Into<String>>) -> Self {
        Self { hint: hint.map(Into::into).or(self.hint), ..self }
    }

    fn new(status: ExitStatus, error: &dyn Error) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !message.ends_with(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            cause = error.source();
        }
        Self { status, message, hint: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot read '/x'")]
    struct Outer(#[source] std::io::Error);

    #[test]
    fn the_whole_chain_is_told_once() {
        let failure = Failure::refused(Outer(std::io::Error::other("no such thing")));
        assert_eq!(failure.message, "cannot read '/x': no such thing");
        assert_eq!(failure.status.code(), 3);
        assert_eq!(failure.with_hint(Some("look again")).hint.as_deref(), Some("look again"));
    }
}
