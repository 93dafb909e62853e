//! Every kind of finding: one table, which the report, the documentation and the tests read.

use super::Severity;
use serde::{Serialize, Serializer};

macro_rules! codes {
    ($($subject:ident($title:literal) {
        $($name:ident $code:literal $severity:ident $meaning:literal;)*
    })*) => {
        /// What a group of codes is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Subject {
            $(#[doc = $title] $subject,)*
        }

        impl Subject {
            /// Every subject, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$subject,)*];

            /// The title of the group.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$subject => $title,)*
                }
            }
        }

        /// What was found to be wrong. Names are stable: scripts may compare them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $meaning] $name,)*)*
        }

        impl Code {
            /// Every code, by subject.
            pub const ALL: &'static [Self] = &[$($(Self::$name,)*)*];

            /// The stable name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$name => $code,)*)*
                }
            }

            /// How bad it is.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self {
                    $($(Self::$name => Severity::$severity,)*)*
                }
            }

            /// One sentence that says what it means.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self {
                    $($(Self::$name => $meaning,)*)*
                }
            }

            /// What it is about.
            #[must_use]
            pub const fn subject(self) -> Subject {
                match self {
                    $($(Self::$name => Subject::$subject,)*)*
                }
            }
        }
    };
}

codes! {
    Reading("Reading") {
        ReadFailed "read-failed" Error "A device could not be read there.";
    }
    Superblock("Superblocks") {
        SuperblockMissing "superblock-missing" Error "A place that must hold a superblock copy has no btrfs magic.";
        SuperblockChecksum "superblock-checksum" Error "A superblock copy's checksum does not match its bytes.";
    }
}

impl core::fmt::Display for Code {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::fmt::Write;
    use std::collections::BTreeSet;
    use std::string::String;

    #[test]
    fn names_are_unique_and_meanings_are_sentences() {
        let mut seen = BTreeSet::new();
        for code in Code::ALL {
            assert!(seen.insert(code.name()), "{code} is there twice");
            assert!(code.name().bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'));
            assert!(code.meaning().ends_with('.') && !code.meaning().contains(['\n', '|']), "{code}");
        }
    }

    /// The tables of `docs/findings.md`, by subject.
    fn documentation() -> String {
        let mut text = String::new();
        for subject in Subject::ALL {
            writeln!(text, "\n## {}\n\n| code | severity | meaning |\n| --- | --- | --- |", subject.title()).unwrap();
            for code in Code::ALL.iter().filter(|code| code.subject() == *subject) {
                writeln!(text, "| `{code}` | {} | {} |", code.severity(), code.meaning()).unwrap();
            }
        }
        text
    }

    /// `UPDATE_DOCS=1 cargo test -p btrfs-planner findings` writes the tables anew.
    #[test]
    fn all_findings_are_documented() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/findings.md");
        let written = std::fs::read_to_string(&path).unwrap();
        let introduction = written.split("\n## ").next().unwrap();
        let expected = std::format!("{introduction}{}", documentation());
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &expected).unwrap();
        } else {
            assert_eq!(written, expected, "docs/findings.md is not what the table says");
        }
    }
}
