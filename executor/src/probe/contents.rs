//! Regular files that hold something and are too short for what is planned: they would be grown, and what they hold would be
//! gone. A short file is rarely an image; often it is somebody's text under a name that was mistyped.

use crate::device::is_zero;
use btrfs_planner::request::Signature;
use nix::errno::Errno;
use nix::unistd::{Whence, lseek};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// What such contents are called among the signatures of a file.
const KIND: &str = "contents";
/// The first bytes of them stand for all.
const SECTOR: u64 = 512;
/// Bytes that are looked at; whoever writes more zeros than this means them.
const MOST: u64 = 64 << 20;

/// The first sector with something in it, of a file of `length` bytes that will have `size` bytes. Nothing where it is long
/// enough already, or holds no data.
pub(crate) fn contents(file: &File, length: u64, size: u64) -> io::Result<Option<Signature>> {
    if length >= size {
        return Ok(None);
    }
    let Some(offset) = first_data(file, length)? else { return Ok(None) };
    let offset = offset - offset % SECTOR;
    Ok(Some(Signature {
        kind: KIND.to_owned(),
        label: None,
        length: SECTOR.min(length - offset),
        offset,
        usage: "a file that is shorter than the filesystem".to_owned(),
        uuid: None,
    }))
}

/// The offset of a block that holds more than zeros, holes left out.
fn first_data(file: &File, length: u64) -> io::Result<Option<u64>> {
    let mut buffer = vec![0; 64 << 10];
    let (mut offset, mut seen) = (0, 0);
    while offset < length {
        let from = i64::try_from(offset).map_err(io::Error::other)?;
        offset = match lseek(file, from, Whence::SeekData) {
            Ok(data) => u64::try_from(data).map_err(io::Error::other)?,
            Err(Errno::ENXIO) => return Ok(None),
            // Not every filesystem knows holes.
            Err(Errno::EINVAL) => offset,
            Err(error) => return Err(error.into()),
        };
        let count = file.read_at(&mut buffer, offset)?;
        if count == 0 {
            return Ok(None);
        }
        let part = buffer.get(..count).unwrap_or_default();
        if seen > MOST || !is_zero(part) {
            let place = part.iter().position(|byte| *byte != 0).unwrap_or(0);
            return Ok(Some(offset.saturating_add(u64::try_from(place).unwrap_or(0))));
        }
        let count = u64::try_from(count).map_err(io::Error::other)?;
        seen = u64::saturating_add(seen, count);
        offset = offset.saturating_add(count);
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_files_with_something_in_them_have_contents() {
        let file = tempfile::tempfile().unwrap();
        let found = |length, size| contents(&file, length, size).unwrap().map(|found| (found.offset, found.length));
        assert_eq!(found(0, 1 << 30), None);
        file.set_len(1 << 20).unwrap();
        assert_eq!(found(1 << 20, 1 << 30), None, "a hole");
        file.write_all_at(&[0; 4096], 8192).unwrap();
        assert_eq!(found(1 << 20, 1 << 30), None, "zeros");
        file.write_all_at(b"text", 300_000).unwrap();
        assert_eq!(found(1 << 20, 1 << 30), Some((299_520, 512)));
        assert_eq!(found(300_004, 1 << 30), Some((299_520, 484)));
        assert_eq!(found(1 << 20, 1 << 20), None, "an image of the right length");
    }
}
