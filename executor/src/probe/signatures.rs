//! What is on a device: everything that libblkid recognises, each with the place of its magic.

use super::blkid::Probe;
use crate::ahead::fetch;
use crate::device::is_zero;
use crate::ioctl::zones::zone_size;
use btrfs_planner::request::Signature;
use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

/// A device with more than this is damaged or made to be a trap; the rest would not change anybody's mind.
const MOST: usize = 256;

/// Every signature on an open device or file, by offset. Reads only.
pub fn signatures(file: &File) -> io::Result<Vec<Signature>> {
    let found = find(file);
    // libblkid tells the kernel that reads are random; ours are not.
    let _ = posix_fadvise(file, 0, 0, PosixFadviseAdvice::POSIX_FADV_NORMAL);
    found
}

/// A label of ZFS has this many bytes, and places that are multiples of it: two at the start of a device, two at its end.
const ZFS_LABEL: u64 = 256 << 10;

/// Where nearly all magics are: both ends of a device, as far as ZFS has its labels. Start and end of each.
fn ends(mut file: &File) -> io::Result<[(u64, u64); 2]> {
    let size = file.seek(SeekFrom::End(0))?;
    let labels = 2 * ZFS_LABEL;
    let last = (size - size % ZFS_LABEL).saturating_sub(labels).max(labels);
    Ok([(0, labels.min(size)), (last.min(size), size)])
}

/// Where else libblkid looks, from the start of a device and from its end.
const BEHIND_THE_START: [u64; 4] = [512 << 10, 1 << 20, 2 << 20, 4 << 20];
const BEFORE_THE_END: u64 = 3087 * 512;
/// No magic is longer.
const MAGIC: u64 = 4096;

/// libblkid looks at dozens of places, one after another. Fetching them together waits for the device once.
fn fetch_places(file: &File) {
    let ends = ends(file).unwrap_or_default();
    for (start, end) in ends {
        fetch(file, start, end - start);
    }
    let [_, (_, size)] = ends;
    // On a zoned device a superblock is the last block of one of the first two zones, once that is full.
    let zone = zone_size(file).unwrap_or(0);
    let ends_of_zones = [zone, zone.saturating_mul(2)].into_iter().filter_map(|end| end.checked_sub(MAGIC));
    let places = BEHIND_THE_START.into_iter().chain(ends_of_zones).chain(size.checked_sub(BEFORE_THE_END));
    places.filter(|place| *place < size).for_each(|place| fetch(file, place, MAGIC));
}

/// Whether both ends hold nothing but zeros.
fn ends_are_zero(file: &File) -> io::Result<bool> {
    let mut buffer = vec![0; 64 << 10];
    for (mut start, end) in ends(file)? {
        while start < end {
            let rest = usize::try_from(end - start).unwrap_or(usize::MAX).min(buffer.len());
            let part = buffer.get_mut(..rest).unwrap_or_default();
            let count = file.read_at(part, start)?;
            if count == 0 || !is_zero(part.get(..count).unwrap_or_default()) {
                return Ok(false);
            }
            start += u64::try_from(count).unwrap_or(u64::MAX);
        }
    }
    Ok(true)
}

fn find(file: &File) -> io::Result<Vec<Signature>> {
    fetch_places(file);
    let clean = ends_are_zero(file)?;
    let mut probe = Probe::new(file)?;
    if clean {
        // It takes a MiB of fresh memory to look for ZFS, which is at the ends or nowhere.
        probe.leave_out(c"zfs_member")?;
    }
    let mut found: Vec<Signature> = Vec::new();
    while found.len() < MOST && probe.next()? {
        let Some(signature) = signature(&probe) else { continue };
        // A kind may have several magics (GPT and its backup): look again as if this one were gone. If it is found
        // again all the same, go on to the next kind.
        let again = found.iter().any(|known| known.offset == signature.offset && known.kind == signature.kind);
        if !again {
            let (offset, length) = (signature.offset, signature.length);
            found.push(signature);
            probe.look_past(offset, length);
        }
    }
    found.sort_unstable_by(|left, right| left.offset.cmp(&right.offset).then_with(|| left.cmp(right)));
    found.dedup();
    Ok(found)
}

fn signature(probe: &Probe<'_>) -> Option<Signature> {
    let text = |name| probe.value(name).map(|bytes| text(&bytes)).filter(|text| !text.is_empty());
    let place = |magic, offset| {
        let length = u64::try_from(probe.value(magic)?.len()).ok()?;
        Some((text(offset)?.parse::<u64>().ok()?, length))
    };
    if let Some((offset, length)) = place(c"SBMAGIC", c"SBMAGIC_OFFSET") {
        return Some(Signature {
            kind: text(c"TYPE")?,
            label: text(c"LABEL"),
            length,
            offset,
            usage: text(c"USAGE").unwrap_or_else(|| "other".to_string()),
            uuid: text(c"UUID"),
        });
    }
    let (offset, length) = place(c"PTMAGIC", c"PTMAGIC_OFFSET")?;
    Some(Signature {
        kind: text(c"PTTYPE")?,
        label: None,
        length,
        offset,
        usage: "partition table".to_string(),
        uuid: text(c"PTUUID"),
    })
}

/// A value of libblkid: it counts the closing 0 of texts.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    fn image(magics: &[(u64, &[u8])]) -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(64 << 20).unwrap();
        for (offset, bytes) in magics {
            file.write_all_at(bytes, *offset).unwrap();
        }
        file
    }

    #[test]
    fn an_empty_device_has_none() {
        assert_eq!(signatures(&image(&[])).unwrap(), []);
        assert_eq!(signatures(&tempfile::tempfile().unwrap()).unwrap_or_default(), []);
    }

    /// The ends hold all labels that ZFS can have, whatever the size; nothing else is left out.
    #[test]
    fn the_ends_hold_every_label_of_zfs() {
        let file = tempfile::tempfile().unwrap();
        for size in [0, 4096, 300 << 10, 512 << 10, (64 << 20) - 512, 64 << 20, (64 << 20) + 4096] {
            file.set_len(size).unwrap();
            let ends = ends(&file).unwrap();
            for label in [
                0,
                ZFS_LABEL,
                size.saturating_sub(2 * ZFS_LABEL + size % ZFS_LABEL),
                size.saturating_sub(ZFS_LABEL + size % ZFS_LABEL),
            ] {
                let end = (label + ZFS_LABEL).min(size);
                let inside = ends.iter().any(|(start, stop)| *start <= label && end <= *stop);
                assert!(inside || size < 4 * ZFS_LABEL, "{label} of {size} in {ends:?}");
            }
        }
        let magic = 0x00ba_b10c_u64.to_le_bytes();
        let uberblocks: Vec<(u64, &[u8])> =
            (0..8).map(|index| (((64 << 20) - ZFS_LABEL + (128 << 10) + (index << 10)), &magic[..])).collect();
        let found = signatures(&image(&uberblocks)).unwrap();
        assert!(!found.is_empty() && found.iter().all(|signature| signature.kind == "zfs_member"), "{found:?}");
    }

    #[test]
    fn every_magic_is_found_with_its_place() {
        let mut btrfs = vec![0; 4096];
        btrfs[0x40..0x48].copy_from_slice(b"_BHRfS_M");
        let swap: &[u8] = b"SWAPSPACE2";
        let found = signatures(&image(&[(0x1_0000, &btrfs), (4096 - 10, swap), (510, &[0x55, 0xaa])])).unwrap();
        let kinds: Vec<(&str, u64, u64)> = found.iter().map(|s| (s.kind.as_str(), s.offset, s.length)).collect();
        assert!(kinds.contains(&("btrfs", 0x1_0040, 8)), "{kinds:?}");
        assert!(found.iter().all(|signature| signature.length > 0 && !signature.usage.is_empty()));
    }
}
