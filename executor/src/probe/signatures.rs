//! What is on a device: everything that libblkid recognises, each with the place of its magic.

use super::blkid::Probe;
use btrfs_planner::request::Signature;
use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};

/// A device with more than this is damaged or made to be a trap; the rest would not change anybody's mind.
const MOST: usize = 256;

/// Every signature on an open device or file, by offset. Reads only.
pub fn signatures(file: &File) -> io::Result<Vec<Signature>> {
    let found = find(file);
    // libblkid tells the kernel that reads are random; ours are not.
    let _ = posix_fadvise(file, 0, 0, PosixFadviseAdvice::POSIX_FADV_NORMAL);
    found
}

/// Where nearly all magics are: as much as this at either end of a device.
const ENDS: i64 = 512 << 10;

/// libblkid looks at dozens of places, one after another. Fetching them together waits for the device once.
pub(crate) fn fetch_ends(mut file: &File) {
    let end = file.seek(SeekFrom::End(0)).ok().and_then(|end| i64::try_from(end).ok()).unwrap_or(0);
    for start in [0, end.saturating_sub(ENDS)] {
        if (0..end).contains(&start) {
            // Advice: without it everything is as right, and slower.
            let _ = posix_fadvise(file, start, ENDS, PosixFadviseAdvice::POSIX_FADV_WILLNEED);
        }
    }
}

fn find(file: &File) -> io::Result<Vec<Signature>> {
    fetch_ends(file);
    let mut probe = Probe::new(file)?;
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
