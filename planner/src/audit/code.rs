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
        DeviceCount "device-count" Error "The filesystem has more or fewer devices than there are disks or device items.";
        DeviceTwice "device-twice" Error "Two disks say that they are the same device.";
    }
    Superblock("Superblocks") {
        SuperblockMissing "superblock-missing" Error "A place that must hold a superblock copy has no btrfs magic.";
        SuperblockChecksum "superblock-checksum" Error "A superblock copy's checksum does not match its bytes.";
        SuperblockChecksumType "superblock-checksum-type" Error "A superblock names a checksum that does not exist.";
        SuperblockPlace "superblock-place" Error "A superblock copy says that it stands elsewhere.";
        SuperblocksDiffer "superblocks-differ" Error "Two superblock copies differ in more than their places.";
        SuperblockSizes "superblock-sizes" Error "The sizes of nodes or sectors are none that btrfs has.";
        SuperblockFlags "superblock-flags" Error "The superblock is marked as not written, as erroneous, or as a dump.";
        SuperblockFeatures "superblock-features" Error "The superblock has feature bits that the audit does not know.";
        SuperblockRoots "superblock-roots" Error "The superblock's root or chunk root cannot be one.";
        SuperblockRootDirectory "superblock-root-directory" Error "The superblock names another root directory than 6.";
        SuperblockLabel "superblock-label" Error "The label does not end, or is not followed by zeros.";
        SuperblockUuidTree "superblock-uuid-tree" Error "The generation of the UUID tree cannot be true.";
        SuperblockCache "superblock-cache" Error "A new filesystem's generation of the free space cache is not what its features ask for.";
        SuperblockUnused "superblock-unused" Error "A new filesystem's superblock has something in fields that are not in use.";
        SystemChunkArray "system-chunk-array" Error "The superblock's array of system chunks is broken, or differs from the chunk tree.";
        BackupRoots "backup-roots" Error "A backup root cannot be one, or the newest does not lead to the current trees.";
        TotalBytes "total-bytes" Error "The filesystem's size is not the sum of its devices.";
        BytesUsed "bytes-used" Error "The filesystem's used bytes are not the sum of its block groups.";
        LogTree "log-tree" Warning "There is a log tree: what it holds is not part of the audit.";
    }
    Chunk("Chunks and devices") {
        ChunkItem "chunk-item" Error "A chunk item is cut off, or a fixed field of it is wrong.";
        ChunkFlags "chunk-flags" Error "A chunk's type or profile is none that there is.";
        ChunkStripes "chunk-stripes" Error "A chunk has too many or too few stripes, or one that does not fit its device.";
        ChunkRange "chunk-range" Error "A chunk's address or length cannot be.";
        ChunkDevice "chunk-device" Error "A stripe is on a device that is missing, is another, or must not be shared.";
        ChunksOverlap "chunks-overlap" Error "Two chunks overlap in logical addresses.";
        DeviceItem "device-item" Error "A device item is missing, or a field of it is wrong.";
        DeviceSuperblock "device-superblock" Error "The device item differs from the one in the device's superblock.";
        DeviceSize "device-size" Error "A device is larger in the filesystem than it is.";
        DeviceUsed "device-used" Error "A device's used bytes are not the sum of its extents.";
        DeviceErrors "device-errors" Warning "A device has counted errors.";
        DeviceExtent "device-extent" Error "A device extent is cut off, or a fixed field of it is wrong.";
        DeviceExtentOverlap "device-extent-overlap" Error "Device extents overlap, or are empty.";
        DeviceExtentBeyond "device-extent-beyond" Error "A device extent ends behind its device.";
        DeviceExtentReserved "device-extent-reserved" Error "A device extent reaches into the first MiB or into zones for superblocks.";
        DeviceExtentChunk "device-extent-chunk" Error "A device extent has no stripe, a stripe no device extent, or they differ.";
        Parity "parity" Error "A parity stripe is not the parity of its row.";
    }
    Block("Tree blocks") {
        BlockPlace "block-place" Error "A tree block's address is in no chunk for trees.";
        BlockChecksum "block-checksum" Error "A copy of a tree block has a checksum that does not match its bytes.";
        BlockCopiesDiffer "block-copies-differ" Error "Two copies of a tree block differ, each with a checksum that matches.";
        BlockOnSuperblock "block-on-superblock" Error "A tree block stands where a superblock copy is written.";
        BlockAddress "block-address" Error "A tree block says that it stands elsewhere.";
        BlockUuid "block-uuid" Error "A tree block belongs to another filesystem or chunk tree.";
        BlockFlags "block-flags" Error "A tree block's flags are not those of a written block.";
        BlockGeneration "block-generation" Error "A tree block is older or newer than what leads to it says.";
        BlockLevel "block-level" Error "A tree block is on another level than what leads to it says.";
        BlockOwner "block-owner" Error "A tree block belongs to another tree.";
        BlockItems "block-items" Error "Items of a tree block overlap, leave gaps, or do not fit.";
        BlockGap "block-gap" Error "A new tree block has something else than zeros where nothing is.";
        BlockTwice "block-twice" Error "A tree block is reached in two ways that cannot share it.";
        KeyOrder "key-order" Error "Keys do not ascend, within a block or from block to block.";
        ItemUnknown "item-unknown" Warning "An item has a type that the audit does not know in this tree.";
        TreeUnknown "tree-unknown" Warning "A tree has a number that the audit does not know.";
    }
    Extent("Extents and free space") {
        ExtentItem "extent-item" Error "An extent item or reference is cut off, or of a kind that cannot be.";
        ExtentRange "extent-range" Error "An extent overlaps another, or is not in a chunk of its kind.";
        ExtentGeneration "extent-generation" Error "An extent's generation is not that of its block, or cannot be.";
        ExtentLevel "extent-level" Error "An extent item has another level than its tree block.";
        ExtentKey "extent-key" Error "A new extent item has another first key than its tree block.";
        ExtentMissing "extent-missing" Error "A tree block or file content is not accounted for in the extent tree.";
        ExtentUnused "extent-unused" Error "An extent item stands for a tree block that nothing refers to.";
        ExtentReferences "extent-references" Error "The references that an extent names are not those that there are.";
        ExtentCount "extent-count" Error "An extent's count is not the number of its references.";
        BlockGroupItem "block-group-item" Error "A block group item is cut off, in the wrong tree, or a fixed field of it is wrong.";
        BlockGroupUsed "block-group-used" Error "A block group's used bytes are not the sum of its extents.";
        BlockGroupFlags "block-group-flags" Error "A block group has other flags than its chunk.";
        BlockGroupChunk "block-group-chunk" Error "A block group has no chunk of its range, or a chunk no block group.";
        StripeExtent "stripe-extent" Error "An item of the raid stripe tree is broken, or names places that cannot be.";
        StripesUnread "stripes-unread" Warning
            "Data was appended to zones, and lies where the raid stripe tree says: it was not compared with its checksums.";
        GlobalRoot "global-root" Error
            "An item is in another of several extent, checksum or free space trees than its block group says.";
        RemapUnread "remap-unread" Error
            "Block groups were moved: the audit does not follow the remap tree, and read nothing that is found by it.";
        FreeSpaceItem "free-space-item" Error "An item of the free space tree is broken, or of the wrong kind.";
        FreeSpaceGroup "free-space-group" Error "The free space tree and the block groups do not agree on which there are.";
        FreeSpaceStale "free-space-stale" Warning "The free space tree has entries of a block group that is gone; mkfs.btrfs before 6.19 leaves some.";
        FreeSpaceCount "free-space-count" Error "A block group's count of free ranges is wrong.";
        FreeSpaceRange "free-space-range" Error "The free space tree is not the exact complement of the extents.";
    }
    Tree("Trees, files and quota") {
        RootItem "root-item" Error "A root item is cut off, or a field of it is wrong.";
        RootMissing "root-missing" Error "A tree is missing that must be there, or there that must not be.";
        RootRemoved "root-removed" Warning "A subvolume is being removed: extents are not checked against references.";
        RootDirectory "root-directory" Error "The directory that names the default subvolume is not in order.";
        RootReference "root-reference" Error "A subvolume's name is not the same in the root tree, both ways, and in its directory.";
        UuidItem "uuid-item" Error "The UUID tree and the subvolumes do not agree.";
        InodeItem "inode-item" Error "An item of an inode is cut off, or a field of it cannot be.";
        InodeMissing "inode-missing" Error "There are items of an inode that has no inode item.";
        InodeMode "inode-mode" Error "An inode is of no type of file.";
        InodeLinks "inode-links" Error "An inode's links are not its names.";
        InodeBytes "inode-bytes" Error "An inode's bytes on disk are not the sum of its contents.";
        DirectorySize "directory-size" Error "A directory's size is not that of its names.";
        DirectoryEntry "directory-entry" Error "A name is not the same by hash, by index and at its inode, or leads nowhere.";
        NameHash "name-hash" Error "An entry is not at the hash of its name.";
        FileExtent "file-extent" Error "A part of a file overlaps another, or cannot be.";
        FileExtentLength "file-extent-length" Error "A part of a file takes an extent for longer or shorter than it is.";
        FileHole "file-hole" Error "A hole has no item, though the filesystem wants one.";
        ChecksumItem "checksum-item" Error "An item of the checksum tree is broken or overlaps another.";
        ChecksumMissing "checksum-missing" Error "Content that must have checksums has none.";
        ChecksumUnused "checksum-unused" Error "There are checksums of what is not allocated to data.";
        DataChecksum "data-checksum" Error "Content does not match its checksum.";
        QuotaItem "quota-item" Error "An item of the quota tree is broken or missing.";
        QuotaCount "quota-count" Error "A new filesystem's quota group is not counted right.";
        SnapshotsUnread "snapshots-unread" Warning "Snapshots share so many blocks that their files were not all looked at.";
        NewGeneration "new-generation" Error "Something in a new filesystem is not of its only transaction.";
        NewDirectory "new-directory" Error "A new filesystem's root directory has a field that is not what it is in a new one.";
        NewInode "new-inode" Error "A new filesystem's inode has a field that is not what it is in a new one.";
        NewOdd "new-odd" Error "A new filesystem has something that is odd even in a used one.";
        NewRoot "new-root" Error "A new filesystem's root item has a field that is not what it is in a new one.";
    }
    Index("What a plan says of its filesystem") {
        IndexBlock "index-block" Error "The plan's index of blocks is not what its trees hold.";
        IndexChunk "index-chunk" Error "The plan's chunks are not those of its chunk tree.";
        IndexDevice "index-device" Error "The plan's devices are not those of its filesystem.";
        IndexFilesystem "index-filesystem" Error "What the plan says of its filesystem is not what stands in it.";
    }
    Document("Document") {
        DocumentFormat "document-format" Error "The format is not the one that this audit knows.";
        DocumentPageSize "document-page-size" Error "The page size is one that no machine has.";
    }
    Schedule("Schedule") {
        ScheduleUnsound "schedule-unsound" Error
            "A list of the plan is out of order, reaches beyond its device, or names what is not there.";
        ScheduleSize "schedule-size" Error "A device's planned size is not in whole sectors or zones.";
        ScheduleLimit "schedule-limit" Error "A device's limit is neither its planned size nor the end of the device.";
        ScheduleNodeSize "schedule-node-size" Error "The node size is one that the format does not know.";
        BlockOrder "block-order" Error "The plan's blocks do not ascend.";
        ChunkOrder "chunk-order" Error "The plan's chunks do not ascend.";
        BlockUnmapped "block-unmapped" Error "Blocks of the plan lie in none of its chunks, or in several.";
        BlockPayload "block-payload" Error "A copy of a block is written with other bytes than the plan shows for it.";
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
        ResetNeedless "reset-needless" Error "A range of zones is reset that begins or ends with empty ones.";
        ResetPartial "reset-partial" Error "A reset is not of whole zones.";
        ResetState "reset-state" Error "A range to reset holds a zone that cannot be reset.";
        ResetNoZones "reset-no-zones" Error "A reset is planned on a device without zones that are written in order.";
        ZoneReport "zone-report" Error "The zone report does not fit its device.";
        ZoneRandom "zone-random" Error "A sequential zone is wiped, discarded or made zero instead of reset.";
        ZoneDead "zone-dead" Error "A zone is written that is read-only or offline.";
        ZoneGap "zone-gap" Error "A sequential zone is not written from its start on in order.";
        ZoneCapacity "zone-capacity" Error "More is written to a zone than it holds.";
        ZoneActive "zone-active" Error "More zones are active at once than the device allows.";
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
