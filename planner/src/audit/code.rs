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
    Schedule("Schedule") {
        ScheduleUnsound "schedule-unsound" Error
            "A list of the plan is out of order, reaches beyond its device, or names what is not there.";
        ScheduleSize "schedule-size" Error "A device's planned size is not in whole sectors or zones.";
        ScheduleLimit "schedule-limit" Error "A device's limit is neither its planned size nor the end of the device.";
        ScheduleNodeSize "schedule-node-size" Error "The node size is one that the format does not know.";
        BlockOrder "block-order" Error "The plan's blocks do not ascend.";
        BlockUnmapped "block-unmapped" Error "Blocks of the plan lie in none of its chunks, or in several.";
        BlockPayload "block-payload" Error "A copy of a block is written with other bytes than the plan shows for it.";
        ChunkStripes "chunk-stripes" Error "A chunk has not the stripes that its profile takes.";
        WipeMissing "wipe-missing" Error "Sectors of a signature that was found are not wiped.";
        WipeNeedless "wipe-needless" Error "Bytes are wiped that hold no signature.";
        SignatureSurvives "signature-survives" Error "No step of the plan touches all of a signature that was found.";
        SignatureStays "signature-stays" Warning
            "A signature stays, since it lies beyond the limit or in a zone that cannot be written.";
        DiscardMissing "discard-missing" Error "Bytes are not discarded that the discard strategy covers.";
        DiscardNeedless "discard-needless" Error "Bytes are discarded that the discard strategy does not cover.";
        DiscardGranularity "discard-granularity" Error "A discard is not of whole granules of its device.";
        DiscardUnsupported "discard-unsupported" Error "A discard is planned on a device that was found to have none.";
        ResetMissing "reset-missing" Error "A zone that is not empty is not reset.";
        ResetNeedless "reset-needless" Error "A range of zones is reset that holds only empty ones.";
        ResetPartial "reset-partial" Error "A reset is not of whole zones.";
        ResetState "reset-state" Error "A range to reset holds a zone that cannot be reset.";
        ResetNoZones "reset-no-zones" Error "A reset is planned on a device without zones that are written in order.";
        ZoneReport "zone-report" Error "The zone report does not fit its device.";
        ZoneRandom "zone-random" Error "A sequential zone is wiped, discarded or made zero instead of reset.";
        ZoneDead "zone-dead" Error "A zone is written that is read-only or offline.";
        ZoneGap "zone-gap" Error "A sequential zone is not written from its start on in order.";
        ZoneCapacity "zone-capacity" Error "More is written to a zone than it holds.";
        ZoneActive "zone-active" Error "More zones are in use at once than the device allows.";
        ZeroMissing "zero-missing" Error
            "Bytes where an old signature may stand, or that parity counts as zeros, are not made zero.";
        ZeroNeedless "zero-needless" Error "Bytes are made zero that need not be.";
        WriteMissing "write-missing" Error "A copy of a block, or parity beside it, is not written.";
        WriteNeedless "write-needless" Error "Bytes are written that belong to no block and no parity.";
        WriteSuperblock "write-superblock" Error "A write before the commit stands where a superblock does.";
        PayloadUnused "payload-unused" Error "The plan holds bytes that it writes nowhere.";
        CommitMissing "commit-missing" Error "A place for a superblock copy gets none.";
        CommitPlace "commit-place" Error "The commit writes where no superblock copy belongs.";
        CommitContent "commit-content" Error
            "The commit writes something else than the superblock copy of that place and device.";
        CommitOrder "commit-order" Error "The last write of a device's commit is not its primary superblock.";
        Statistics "statistics" Error "A figure of the plan's statistics is not what its schedule comes to.";
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
